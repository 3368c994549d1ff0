package embedded

import (
	"errors"
	"io"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync"
)

const (
	// windowSize is the most names that are kept of one folder, about 3 MB; until it is
	// halved again, a window may hold twice as many.
	windowSize = 1 << 15
	// windowWorth is how many names a folder must have for its window to be kept: fewer
	// are read again in milliseconds.
	windowWorth = 1 << 12
	// windowCount is how many windows are kept: two for each of those who go through a
	// folder at the same time, where they are and its end.
	windowCount = 4
)

// name is an entry of a folder.
type name struct {
	text   string
	folder bool
}

func byText(a name, text string) int { return strings.Compare(a.text, text) }

// window has the names of one folder from one on, in order. Those that are gone may be
// among them.
type window struct {
	path  string // absolute
	from  string
	names []name
	cut   bool   // the folder has names beyond last
	last  string // where it is cut
	late  []name // came while the folder was read
}

// windows keeps windows of large folders. A file system hands a folder's names out in
// an order of its own, so that whoever wants the next thousand in theirs must read
// all, which must not be done for every page of a listing. They are kept current by
// add, which must be told of everything new.
type windows struct {
	size, worth int // windowSize and windowWorth but in tests

	mu      sync.Mutex
	kept    []*window // the one that was used last is the first
	reading []*window
}

// list returns some names of a folder that are not before from, in order: all if
// cut is false, and otherwise at least n if a window has room for as many, beyond
// which there are others.
func (w *windows) list(path, from string, n int) (names []name, cut bool, err error) {
	w.mu.Lock()
	defer w.mu.Unlock()
	w.kept = slices.DeleteFunc(w.kept, func(known *window) bool {
		return known.holds(path, from) && known.cut && len(known.after(from)) < n // whoever was in it is leaving it
	})
	for i, known := range w.kept {
		if known.holds(path, from) {
			w.kept = slices.Insert(slices.Delete(w.kept, i, i+1), 0, known)
			names, cut = known.first(from, n)
			return names, cut, nil
		}
	}
	fresh := &window{path: path, from: from}
	w.reading = append(w.reading, fresh)
	w.mu.Unlock()
	all, err := fresh.read(w.size)
	w.mu.Lock()
	w.reading = slices.DeleteFunc(w.reading, func(r *window) bool { return r == fresh })
	if err != nil {
		return nil, false, err
	}
	for _, one := range fresh.late {
		fresh.insert(one, w.size)
	}
	fresh.late = nil
	if all >= w.worth {
		w.kept = slices.Insert(w.kept, 0, fresh)
		w.kept = slices.Delete(w.kept, min(len(w.kept), windowCount), len(w.kept))
	}
	names, cut = fresh.first(from, n)
	return names, cut, nil
}

// add tells of a file or folder that is new, with what has become folders above it up
// to top, before anyone is told of it otherwise.
func (w *windows) add(top, path string, folder bool) {
	w.mu.Lock()
	defer w.mu.Unlock()
	if len(w.kept)+len(w.reading) == 0 {
		return
	}
	for ; len(path) > len(top); path, folder = filepath.Dir(path), true {
		one := name{filepath.Base(path), folder}
		for _, known := range w.kept {
			if known.path == filepath.Dir(path) {
				known.insert(one, w.size)
			}
		}
		for _, fresh := range w.reading {
			if fresh.path == filepath.Dir(path) {
				fresh.late = append(fresh.late, one)
			}
		}
	}
}

// forget drops the windows of a folder.
func (w *windows) forget(path string) {
	w.mu.Lock()
	defer w.mu.Unlock()
	w.kept = slices.DeleteFunc(w.kept, func(known *window) bool { return known.path == path })
}

// holds says whether a name of a folder is in the window if the folder has it.
func (w *window) holds(path, text string) bool {
	return w.path == path && text >= w.from && (!w.cut || text <= w.last)
}

// after returns the names that are not before from.
func (w *window) after(from string) []name {
	at, _ := slices.BinarySearchFunc(w.names, from, byText)
	return w.names[at:]
}

// first returns n of them at most, and whether there are others.
func (w *window) first(from string, n int) (names []name, cut bool) {
	names = w.after(from)
	return slices.Clone(names[:min(n, len(names))]), w.cut || len(names) > n
}

// insert puts a name in its place, if that is in the window.
func (w *window) insert(one name, size int) {
	if !w.holds(w.path, one.text) {
		return
	}
	at, there := slices.BinarySearchFunc(w.names, one.text, byText)
	if there {
		w.names[at] = one
		return
	}
	if w.names = slices.Insert(w.names, at, one); len(w.names) > 2*size {
		w.halve(size)
	}
}

// halve leaves size names.
func (w *window) halve(size int) {
	clear(w.names[size:])
	w.names = w.names[:size]
	w.cut, w.last = true, w.names[size-1].text
}

// read fills the window with at most size names, and returns how many the folder has.
func (w *window) read(size int) (all int, err error) {
	folder, err := os.Open(w.path)
	if err != nil {
		return 0, err
	}
	defer func() { err = errors.Join(err, folder.Close()) }()
	for {
		entries, err := folder.ReadDir(1024)
		all += len(entries)
		for _, entry := range entries {
			if text := entry.Name(); text >= w.from && (!w.cut || text < w.last) {
				w.names = append(w.names, name{text, entry.IsDir()})
			}
		}
		ended := errors.Is(err, io.EOF)
		if err != nil && !ended {
			return all, err
		}
		if len(w.names) > 2*size || ended {
			slices.SortFunc(w.names, func(a, b name) int { return byText(a, b.text) })
			if len(w.names) > size {
				w.halve(size)
			}
		}
		if ended {
			return all, nil
		}
	}
}
