package embedded

import "sync"

// keptFolders is how many folders are remembered at most, after which it begins anew.
const keptFolders = 256

// folders are those whose own entries, in the folders above them, are known to be on
// disk. An entry stays there until something is removed, which takes away folders
// that are empty then: what was known is forgotten when a removal begins, and nothing
// is learnt until it has ended.
type folders struct {
	syncs rounds // by path

	mu       sync.Mutex
	kept     map[string]bool // by path
	removing int             // removals under way
	removed  uint64          // removals that have ended
}

// remove says that something may be removed until the returned function is called.
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

// keeps tells whether the entry of a folder that holds something is on disk, and
// otherwise what to give to keep.
func (f *folders) keeps(path string) (kept bool, since uint64) {
	f.mu.Lock()
	defer f.mu.Unlock()
	return f.kept[path], f.removed
}

// keep says that the entry of a folder is on disk, which keeps has denied before it
// was synced.
func (f *folders) keep(path string, since uint64) {
	f.mu.Lock()
	defer f.mu.Unlock()
	if f.removing > 0 || f.removed != since {
		return // it may be another folder by this time
	}
	if f.kept == nil || len(f.kept) >= keptFolders {
		f.kept = map[string]bool{}
	}
	f.kept[path] = true
}
