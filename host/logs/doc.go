// Package logs keeps what packages log: lines of JSON, in a file for each package.
//
// # Where
//
// The lines of a package are in {dataDir}/logs/<id>.jsonl, and those of first-party packages, which belong to no single project, in
// {globalDir}/logs/<id>.jsonl. A package in the source of a user or an agent has user/<owner>/<id>.jsonl, with
// names encoded as package data encodes ids. A line has the members time, level, package, message, fields and
// what the host knows of the call: tool or route, and request.
//
// # Levels
//
// What is kept is decided at every line anew, so that a change of the config counts at once: by the entry
// _installed/<id> of packageLogLevelOverrides, else by packageLogLevel, else it is debug where debug is true and info
// elsewhere. See [Settings].
//
// # What a package cannot do
//
// Fill the disk: a line has at most 64 KiB, a file at most 10 MiB, and there are at most six of them for a package. Wash
// away what it logged before: beyond 1,000 lines at a stroke and 100 a second after that, lines are dropped and
// counted, and the next one that is kept tells how many. Forge lines: a line is one JSON text. Fail by logging: no function here
// returns an error; faults go to [Options].OnFault.
//
// # Secrets
//
// A value that was given to a [Redactor] is masked wherever it occurs in a line, and so are fields whose
// names are those of secrets, such as password or apiKey. That is a net and no permission: a package that
// encodes a secret before it logs it is not noticed.
package logs
