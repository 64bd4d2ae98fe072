// Package watch tells when something below some folders has changed.
//
// # What it is for
//
// Everything here that works again after a save stands on one [Watcher]: `neuralis build --watch` and `neuralis dev`.
// A watcher says that it is time to look again, and where; what has changed is found by looking. So an editor's habit
// of saving by rename, a checkout of thousands of files and events that the system dropped all come to the same thing.
//
//	notifications (fsnotify) ──┐
//	                           ├─► box ─► tree: what is that to us? ─► patience ─► Changed
//	polling (radovskyb) ───────┘                └─► folders that came and went
//
// A tree is all that is watched at a time: the folders below the roots, those that links lead to, and the way from
// the file system's root to each of them, since a folder above that is renamed takes the root away. Simple changes
// are followed in the tree. After those that a source may be confused by (a folder that moved, a link that leads
// elsewhere, lost events) the tree is planted anew, with sources that know nothing of before.
//
// # What it guarantees
//
// After the last change there is a call that begins after it: whoever looks in Changed sees the final state. That holds since
// a folder is watched before it is listed, and since a call comes after the folders are. Calls never overlap. Whatever has
// changed since the call before is at or below one of [Change.Paths], unless [Change.All] is set.
//
// A root need not exist yet, may be or contain symbolic links, may be deleted and made again, or replaced. Where
// notifications do not arrive, or not all (see place.go), folders are polled instead or as well.
//
// # What it refuses
//
// What is in node_modules is not watched, linked packages there included: it is thousands of folders, and what is in them changes with
// package-lock.json, which is. Who wants to know of one of them makes it a root. Version control's folders and what editors keep beside a
// file are not either. A link to a folder that contains the link, or a root, is not followed.
package watch
