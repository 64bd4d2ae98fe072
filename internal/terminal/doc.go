// Package terminal is the one way the command line speaks to people and to scripts.
//
// An [IO] carries the three standard streams together with what is known about
// them: which are terminals, how wide the terminal is, whether colour is wanted.
// Verbs never touch os.Stdout, never look at NO_COLOR and never ask for the
// terminal's size; they hold an IO, so a test hands them buffers and reads what
// a user would have seen.
//
// The rules that hold for every verb:
//
//   - Results go to Out, everything said about the work (progress, diagnostics,
//     hints, prompts) goes to Err. `neuralis call x | jq` works because of that.
//   - Colour never carries meaning alone, and there is none when the stream is no
//     terminal, with NO_COLOR, with TERM=dumb or with --color never. CLICOLOR_FORCE
//     and --color always turn it on in pipes.
//   - The sixteen ANSI colours are used and no others, so the user's own theme
//     decides how they look, and the terminal is never queried for its background:
//     a query costs a round trip on every start and can eat type-ahead.
//   - JSON documents are one per run, on Out, ended by a newline.
//   - Text that comes from packages (messages, file names, log lines) is printed
//     with its control characters made visible: see [Printable].
//
// The package does not read flags and knows no verb.
package terminal
