// Package audit keeps who reached which route of a package that is not first-party.
//
// A line of JSON is appended to {dataDir}/audit/routes.jsonl for each access, refused ones too: time, the
// package's id and tier, method, path, status, and the caller with the scope they called in. The path has no query
// and the line no headers and no body, as those hold secrets and what people wrote.
//
// Files have at most 16 MiB and the last twenty full ones are kept. Nothing else limits the lines: what comes in
// was counted against the limits of the package before. A line that cannot be written is an error, and the caller decides what
// becomes of the access. As everywhere in package data, several processes may write to one file, and a kill leaves no
// torn lines that anybody would read.
package audit
