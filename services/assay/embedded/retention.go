package embedded

import (
	"errors"
	"fmt"
	"io"
	"io/fs"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"sync"
)

// retainedFolder is the folder, beside those of the objects, in which a backup finds the objects that were deleted or replaced
// since its mark.
const retainedFolder = "retained"

// maxUnlisted is the number of objects created since the mark that are recorded, so that a backup leaves them out. The
// backup contains further ones, which belong to no item of its database.
const maxUnlisted = 1 << 20

// ErrRetaining means that another backup is reading the objects.
var ErrRetaining = errors.New("another backup is reading the objects")

// objectName identifies an object.
type objectName struct{ bucket, key string }

// parts returns the parts of the path of an object. A walk of the folder of the objects reaches paths in the order of their
// parts.
func (o objectName) parts() []string { return strings.Split(o.bucket+"/"+o.key, "/") }

// retention keeps the objects as they were at the mark of a backup: before a request deletes or replaces one that the
// backup has not reached yet, its file gets a second name. The first request for an object since the mark decides, so an
// object of the mark is either in place, or retained.
type retention struct {
	top  string // folder of the retained files
	keep func(name objectName, at string) (metadata []byte, err error)

	mu       sync.Mutex
	active   bool
	changing map[objectName]int      // requests in progress
	retained map[objectName]retained // objects that the mark has, and that were changed since
	absent   map[objectName]bool     // objects that the mark does not have
	reached  []string                // parts of the path of the last object that the backup has opened
	next     int                     // number of the next file
	failed   error                   // why an object could not be retained
}

// retained is an object that was deleted or replaced after the mark.
type retained struct {
	path     string
	metadata []byte // encoded copy of its metadata
}

// change must be called before a request deletes, replaces or creates objects; done when it has ended.
func (r *retention) change(bucket string, keys ...string) (done func()) {
	r.mu.Lock()
	defer r.mu.Unlock()
	if r.changing == nil {
		r.changing = map[objectName]int{}
	}
	names := make([]objectName, len(keys))
	for i, key := range keys {
		names[i] = objectName{strings.Clone(bucket), strings.Clone(key)} // the gateway reuses their memory
		r.changing[names[i]]++
		if r.active {
			r.settle(names[i])
		}
	}
	return func() {
		r.mu.Lock()
		defer r.mu.Unlock()
		for _, name := range names {
			if r.changing[name]--; r.changing[name] == 0 {
				delete(r.changing, name)
			}
		}
	}
}

// settle records what the mark has under a name, unless this is recorded.
func (r *retention) settle(name objectName) {
	if r.known(name) || r.failed != nil || slices.Compare(name.parts(), r.reached) <= 0 {
		return
	}
	path := filepath.Join(r.top, strconv.Itoa(r.next))
	metadata, err := r.keep(name, path)
	switch {
	case errors.Is(err, fs.ErrNotExist):
		if len(r.absent) < maxUnlisted {
			r.absent[name] = true
		}
	case err != nil: // the request continues; the backup fails
		r.failed = fmt.Errorf("retain object %s in bucket %s: %w", name.key, name.bucket, err)
	default:
		r.retained[name] = retained{path, metadata}
		r.next++
	}
}

// begin sets the mark. A request in progress counts as if it had ended before or after the mark.
func (r *retention) begin() error {
	r.mu.Lock()
	defer r.mu.Unlock()
	if r.active {
		return ErrRetaining
	}
	if err := os.Mkdir(r.top, 0o700); err != nil && !errors.Is(err, fs.ErrExist) {
		return err
	}
	r.active, r.retained, r.absent, r.reached, r.next = true, map[objectName]retained{}, map[objectName]bool{}, nil, 0
	for name := range r.changing {
		r.settle(name)
	}
	return r.failed
}

// end forgets the mark and removes the retained files.
func (r *retention) end() error {
	r.mu.Lock()
	defer r.mu.Unlock()
	r.active, r.retained, r.absent, r.failed = false, nil, nil, nil
	return os.RemoveAll(r.top)
}

// known reports whether it is recorded what the mark has under a name.
func (r *retention) known(name objectName) bool {
	_, known := r.retained[name]
	return known || r.absent[name]
}

// reach reports whether an open object is that of the mark. Then requests need not retain it.
func (r *retention) reach(name objectName) bool {
	r.mu.Lock()
	defer r.mu.Unlock()
	if r.known(name) {
		return false
	}
	r.reached = name.parts()
	return true
}

// list returns the objects that were retained so far.
func (r *retention) list() (all map[objectName]retained, err error) {
	r.mu.Lock()
	defer r.mu.Unlock()
	return maps.Clone(r.retained), r.failed
}

// link gives a file a second name, or copies it where the file system has no links.
func link(from, to string) error {
	err := os.Link(from, to)
	if err == nil || errors.Is(err, fs.ErrNotExist) {
		return err
	}
	if errors.Is(err, fs.ErrExist) { // left by a backup that was killed
		return errors.Join(os.Remove(to), link(from, to))
	}
	source, err := os.Open(from)
	if err != nil {
		return err
	}
	target, err := os.OpenFile(to, os.O_CREATE|os.O_TRUNC|os.O_WRONLY, 0o600)
	if err != nil {
		return errors.Join(err, source.Close())
	}
	_, err = io.Copy(target, source)
	return errors.Join(err, target.Close(), source.Close())
}
