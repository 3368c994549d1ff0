package embedded

import "sync"

// keptFolders is the maximum number of directories recorded, about 1 MB. When it is reached, the
// record is cleared. Each key prefix has 256 shards, which should stay recorded although each
// upload adds a directory.
const keptFolders = 1 << 12

// folders records directories whose own entries, in the directories above them, are known to be on
// disk. An entry is valid until a removal, which also removes empty parent directories. Therefore
// the start of a removal clears the record, and nothing is recorded until it has finished.
type folders struct {
	syncs groupCommit // by path

	mu       sync.Mutex
	kept     map[string]bool // by path
	removing int             // removals in progress
	removed  uint64          // finished removals
}

// remove marks a removal as in progress until the returned function is called.
func (f *folders) remove() (done func()) {
	f.mu.Lock()
	defer f.mu.Unlock()
	f.removing++
	clear(f.kept)
	return func() {
		f.mu.Lock()
		defer f.mu.Unlock()
		f.removing--
		f.removed++
	}
}

// keeps reports whether the entry of a nonempty directory is known to be on disk. If it is not, since is
// the value to pass to keep after a sync.
func (f *folders) keeps(path string) (kept bool, since uint64) {
	f.mu.Lock()
	defer f.mu.Unlock()
	return f.kept[path], f.removed
}

// keep records that the entry of a directory is on disk, after keeps has returned false and the
// directory was synced.
func (f *folders) keep(path string, since uint64) {
	f.mu.Lock()
	defer f.mu.Unlock()
	if f.removing > 0 || f.removed != since {
		return // the path may refer to another directory by now
	}
	if f.kept == nil || len(f.kept) >= keptFolders {
		f.kept = map[string]bool{}
	}
	f.kept[path] = true
}
