package main

import (
	"bytes"
	"context"
	"fmt"
	"io"
	"path/filepath"
	"strings"
	"text/tabwriter"

	"github.com/spf13/cobra"

	"github.com/neuralis-dev/neuralis/host/config"
	"github.com/neuralis-dev/neuralis/host/credentials"
	"github.com/neuralis-dev/neuralis/internal/terminal"
)

type credentialsOptions struct {
	*globals
	Config   string
	Agent    string
	User     string
	Project  bool
	Packages []string
	ID       string

	// given reports whether a flag is on the command line. One with an empty value, such as that of a variable that
	// is not set, must not make a credential everybody's.
	given func(flag string) bool
}

func newCredentialsCommand(g *globals) *cobra.Command {
	member := func(use, short, long string, run func(context.Context, *credentialsOptions) error) (*cobra.Command, *credentialsOptions) {
		opts := &credentialsOptions{globals: g}
		cmd := &cobra.Command{
			Use: use, Short: short, Long: long,
			Args: noArgs,
			RunE: func(cmd *cobra.Command, args []string) error {
				opts.given = cmd.Flags().Changed
				if len(args) == 1 {
					opts.ID = args[0]
				}
				return run(cmd.Context(), opts)
			},
		}
		if strings.Contains(use, "<id>") {
			cmd.Args = oneCredential
			cmd.Flags().StringVar(&opts.Agent, "agent", "", "for one `agent`")
			cmd.Flags().BoolVar(&opts.Project, "project", false, "for the project")
			cmd.Flags().StringVar(&opts.User, "user", "", "for one `user`")
		}
		cmd.Flags().StringVar(&opts.Config, "config", "", "the host's config `file` (default: the nearest "+config.File+", here or above)")
		_ = cmd.MarkFlagFilename("config", "json")
		bindJSON(cmd, g)
		return cmd, opts
	}

	set, o := member("set <id>", "Enter a credential",
		`Enter a credential, in the place of the one that was there. The value is read from
standard input, or asked for without being shown; it cannot be given on the command
line, where others would see it. One line break at its end is left out.

Of the values for an agent, the project, a user and everybody, a package is given
the first there is. Without a flag, the value is for everybody.`, runCredentialsSet)
	set.Flags().StringSliceVar(&o.Packages, "package", nil, "give it to this `package` alone, can be repeated (default: all that declare it)")
	set.Example = `  neuralis credentials set acme.apiKey
  neuralis credentials set acme.apiKey --user ada --package catalog < key.txt`
	list, _ := member("list", "List the credentials, without their values",
		"List what credentials there are and for whom. Values are not shown.", runCredentialsList)
	remove, _ := member("remove <id>", "Remove a credential",
		"Remove a credential: the one for everybody, or that of an agent, the project or a user.", runCredentialsRemove)

	return family(&cobra.Command{
		Use:   "credentials <set|list|remove>",
		Short: "Enter and remove the secrets that packages use",
		Long: `Enter, list and remove the credentials of a host. They are encrypted with the key
that the host's config names, which is made with the first one.`,
	}, set, list, remove)
}

// oneCredential accepts exactly one argument. What comes after it may be a value, and is not repeated.
func oneCredential(cmd *cobra.Command, args []string) error {
	if len(args) > 1 {
		return fmt.Errorf("%s takes one argument, the id of a credential; a value is read from standard input, as others see what is on a command line", verb(cmd))
	}
	return oneArg("the id of a credential, such as acme.apiKey")(cmd, args)
}

// open opens the credentials of the host whose config is meant.
func (o *credentialsOptions) open() (*credentials.Store, *config.Config, error) {
	at, err := o.findPlace(o.Dir, o.Config)
	if err == nil && !at.Project {
		// A package by itself has them in its own folder, wherever in it one is: that is where a call looks.
		at, err = o.findPlace(o.packageAbove(), o.Config)
	}
	if err != nil {
		return nil, nil, err
	}
	c := at.Config
	store, err := credentials.Open(credentials.Options{Dir: filepath.Join(c.GlobalDir, "credentials"), KeyFile: c.Credentials.KeyFile})
	return store, c, err
}

// ref is the credential that the command line names.
func (o *credentialsOptions) ref(c *config.Config) (credentials.Ref, error) {
	refs := []credentials.Ref{}
	if o.given("agent") {
		refs = append(refs, credentials.Ref{Scope: credentials.ScopeAgent, Owner: o.Agent, ID: o.ID})
	}
	if o.Project {
		refs = append(refs, credentials.Ref{Scope: credentials.ScopeProject, Owner: c.ProjectID, ID: o.ID})
	}
	if o.given("user") {
		refs = append(refs, credentials.Ref{Scope: credentials.ScopeUser, Owner: o.User, ID: o.ID})
	}
	switch len(refs) {
	case 0:
		refs = append(refs, credentials.Ref{Scope: credentials.ScopeGlobal, ID: o.ID})
	case 1:
	default:
		return credentials.Ref{}, usagef("a credential is for one of --agent, --project and --user; for several, enter it several times")
	}
	if err := refs[0].Check(); err != nil {
		return credentials.Ref{}, usagef("%w", err)
	}
	return refs[0], nil
}

func runCredentialsSet(ctx context.Context, o *credentialsOptions) error {
	store, c, err := o.open()
	if err != nil {
		return err
	}
	ref, err := o.ref(c)
	if err != nil {
		return err
	}
	value, err := readSecret(ctx, o.IO, ref)
	if err != nil {
		return err
	}
	if value.Reveal() == "" {
		return refusef("the value is empty: pipe it into the command, or remove the credential with \"neuralis credentials remove\"")
	}
	if err := store.Set(ctx, ref, value, o.Packages...); err != nil {
		return err
	}
	if o.JSON {
		return o.IO.WriteJSON(credentials.Entry{Ref: ref, Packages: o.Packages})
	}
	o.IO.Printf("%s set %s\n", o.IO.ErrStyle().Good("✓"), terminal.Printable(ref.String()))
	return nil
}

// readSecret reads a value from standard input, or asks for it.
func readSecret(ctx context.Context, streams *terminal.IO, ref credentials.Ref) (credentials.Secret, error) {
	if streams.CanPrompt() {
		value, err := streams.Hidden(ctx, "Value of "+terminal.Printable(ref.String())+", not shown:")
		return credentials.NewSecret(value), err
	}
	text, err := io.ReadAll(io.LimitReader(streams.In, credentials.MaxBytes+3))
	if err != nil {
		return credentials.Secret{}, fmt.Errorf("reading the value from standard input: %w", err)
	}
	text = bytes.TrimSuffix(bytes.TrimSuffix(text, []byte("\n")), []byte("\r"))
	return credentials.NewSecret(string(text)), nil
}

func runCredentialsList(_ context.Context, o *credentialsOptions) error {
	store, _, err := o.open()
	if err != nil {
		return err
	}
	entries, err := store.List()
	if err != nil {
		return err
	}
	if o.JSON {
		return o.IO.WriteJSON(struct {
			Credentials []credentials.Entry `json:"credentials"`
		}{entries})
	}
	if len(entries) == 0 {
		o.IO.Printf("There are no credentials. Enter one with \"neuralis credentials set\".\n")
		return nil
	}
	var table bytes.Buffer
	w := tabwriter.NewWriter(&table, 0, 0, 2, ' ', 0)
	for _, e := range entries {
		whose := string(e.Scope)
		if e.Owner != "" {
			whose += " " + e.Owner
		}
		note := ""
		if len(e.Packages) > 0 {
			note = "only for " + strings.Join(e.Packages, ", ")
		}
		if e.Fault != "" {
			note = "cannot be used: " + e.Fault
		}
		fmt.Fprintf(w, "%s\t%s\t%s\n", terminal.Printable(e.ID), terminal.Printable(whose), terminal.Printable(note))
	}
	if err := w.Flush(); err != nil {
		return err
	}
	for line := range strings.Lines(table.String()) {
		fmt.Fprintln(o.IO.Out, strings.TrimRight(line, " \n"))
	}
	return nil
}

func runCredentialsRemove(_ context.Context, o *credentialsOptions) error {
	store, c, err := o.open()
	if err != nil {
		return err
	}
	ref, err := o.ref(c)
	if err != nil {
		return err
	}
	switch was, err := store.Remove(ref); {
	case err != nil:
		return err
	case !was:
		return refusef("there is no credential %s: see \"neuralis credentials list\"", ref)
	}
	if o.JSON {
		return o.IO.WriteJSON(credentials.Entry{Ref: ref})
	}
	o.IO.Printf("%s removed %s\n", o.IO.ErrStyle().Good("✓"), terminal.Printable(ref.String()))
	return nil
}
