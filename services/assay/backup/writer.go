package backup

import (
	"bytes"
	"context"
	"crypto/rand"
	"crypto/sha256"
	"encoding/json"
	"errors"
	"fmt"
	"hash/fnv"
	"io"
	"sync"
	"sync/atomic"
	"time"

	"golang.org/x/sync/errgroup"
	"golang.org/x/time/rate"
)

const (
	// changingChunk is the size of the chunks of files that change in part, such as the database, in bytes. It is a multiple
	// of the size of the pages of the database.
	changingChunk = 1 << 20
	// smallFile is the size in bytes below which files share chunks.
	smallFile = 1 << 20
	// sharing is the average number of small files that share a chunk.
	sharing = 256
	// parallelPuts is the maximum number of chunks that are being compressed and stored.
	parallelPuts = 2
	// releaseTime is the maximum time for giving back the lock.
	releaseTime = 10 * time.Second
	// maxProblems is the maximum number of problems in a manifest.
	maxProblems = 100
)

// Options configure a backup.
type Options struct {
	// Folder is the identity of the data folder, and Holder identifies the place where it is: one process at a time uses it.
	Folder, Holder string
	// Program is the version of the program.
	Program string
	// Rate is the maximum number of bytes read in a second. 0 means no maximum.
	Rate int64
	// Progress is updated while the backup is being made. Optional.
	Progress *Progress
}

// Progress counts what a backup has done so far.
type Progress struct {
	// Files and Bytes count what the backup contains so far, Read the bytes that were read for it, and Written the
	// compressed bytes that were added to the repository.
	Files, Bytes, Read, Written atomic.Int64
}

// Writer makes a backup: Begin, then the mark, Add for each file, and Finish. It must be closed. Its methods must not be called
// concurrently.
type Writer struct {
	repository *Repository
	options    Options
	progress   *Progress
	limit      *rate.Limiter
	lock       *lock
	last       *previous

	ctx     context.Context // done when the lock is lost, and after Close
	stop    context.CancelCauseFunc
	held    sync.WaitGroup
	storing context.Context // also done when a chunk could not be stored
	puts    *errgroup.Group
	known   map[ID]bool // chunks of the repository
	lists   []ID
	list    bytes.Buffer
	pack    []byte    // content of small files
	waiting []*packed // entries since the first small file in pack
	faults  []string
}

// packed is an entry that waits for the id of the chunk of small files.
type packed struct {
	Entry
	small bool
}

// Begin prepares a backup. It returns ErrLocked if another process writes to the repository. A backup that was not finished
// leaves its chunks, which the next one uses.
func (r *Repository) Begin(ctx context.Context, o Options) (w *Writer, err error) {
	w = &Writer{repository: r, options: o, progress: o.Progress, known: map[ID]bool{}, limit: rate.NewLimiter(rate.Inf, 0)}
	if w.progress == nil {
		w.progress = &Progress{}
	}
	if o.Rate > 0 {
		w.limit = rate.NewLimiter(rate.Limit(o.Rate), changingChunk)
	}
	if w.lock, err = r.takeLock(ctx, o.Holder, rand.Text()); err != nil {
		return nil, fmt.Errorf("backup: %w", err)
	}
	w.ctx, w.stop = context.WithCancelCause(ctx)
	w.puts, w.storing = errgroup.WithContext(w.ctx)
	w.puts.SetLimit(parallelPuts)
	w.held.Go(func() {
		if err := w.lock.hold(w.ctx); err != nil {
			w.stop(err)
		}
	})
	if err := w.prepare(); err != nil {
		return nil, errors.Join(fmt.Errorf("backup: %w", err), w.Close())
	}
	return w, nil
}

// prepare removes what a killed process left, and reads what the repository has.
func (w *Writer) prepare() error {
	r := w.repository
	var left []string
	if err := r.store.list(w.ctx, partialFolder, func(name string) error {
		left = append(left, name)
		return nil
	}); err != nil {
		return err
	}
	for _, name := range left {
		if err := r.store.remove(w.ctx, name); err != nil {
			return err
		}
	}
	err := r.store.list(w.ctx, chunksFolder, func(name string) error {
		if id, ok := chunkOf(name); ok {
			w.known[id] = true
		}
		return nil
	})
	if err != nil {
		return err
	}
	all, err := r.List(w.ctx)
	if err != nil {
		return err
	}
	var last Manifest
	for _, one := range all {
		if one.Folder == w.options.Folder {
			last = one
		}
	}
	w.last = newPrevious(r.Entries(w.ctx, last))
	return nil
}

// Add stores a file. content must have e.Size bytes. It is not read if the content is that of the last backup.
func (w *Writer) Add(e Entry, content io.Reader) error {
	if err := w.add(e, content); err != nil {
		return fmt.Errorf("backup of %s: %w", e.Path, err)
	}
	return nil
}

func (w *Writer) add(e Entry, content io.Reader) error {
	if w.storing.Err() != nil {
		return context.Cause(w.storing)
	}
	w.progress.Files.Add(1)
	w.progress.Bytes.Add(e.Size)
	if last, found := w.last.find(e.Path); found && e.unchanged(last) && w.has(last.Parts) {
		e.Parts = last.Parts
		return w.enlist(&packed{Entry: e})
	}
	if e.Size < smallFile {
		return w.addSmall(e, content)
	}
	size := int64(maxChunk)
	if e.Tag == "" {
		size = changingChunk
	}
	for at := int64(0); at < e.Size; at += size {
		chunk := make([]byte, min(size, e.Size-at))
		if err := w.read(content, chunk); err != nil {
			return err
		}
		e.Parts = append(e.Parts, Part{Chunk: w.put(chunk), Length: int64(len(chunk))})
	}
	return w.enlist(&packed{Entry: e})
}

// addSmall stores a small file in a chunk with others. Where a chunk ends depends on the names of files, so that a new file
// changes one chunk only.
func (w *Writer) addSmall(e Entry, content io.Reader) error {
	if len(w.pack)+int(e.Size) > maxChunk {
		if err := w.flush(); err != nil {
			return err
		}
	}
	from := len(w.pack)
	w.pack = append(w.pack, make([]byte, e.Size)...)
	if err := w.read(content, w.pack[from:]); err != nil {
		return err
	}
	if e.Size > 0 {
		e.Parts = []Part{{Offset: int64(from), Length: e.Size}}
	}
	w.waiting = append(w.waiting, &packed{e, e.Size > 0})
	name := fnv.New32a()
	_, _ = name.Write([]byte(e.Path)) // never fails
	if name.Sum32()%sharing == 0 {
		return w.flush()
	}
	return nil
}

// read fills p at the permitted rate.
func (w *Writer) read(content io.Reader, p []byte) error {
	for len(p) > 0 {
		next := p[:min(len(p), changingChunk)]
		if err := w.limit.WaitN(w.storing, len(next)); err != nil {
			return context.Cause(w.storing) // the only reason: no read exceeds the burst
		}
		if _, err := io.ReadFull(content, next); err != nil {
			return err
		}
		w.progress.Read.Add(int64(len(next)))
		p = p[len(next):]
	}
	return nil
}

// has reports whether the repository has the chunks.
func (w *Writer) has(parts []Part) bool {
	for _, part := range parts {
		if !w.known[part.Chunk] {
			return false
		}
	}
	return true
}

// put stores a chunk in the background, unless the repository has it. The content must not be changed.
func (w *Writer) put(content []byte) ID {
	id := ID(sha256.Sum256(content))
	if w.known[id] {
		return id
	}
	w.known[id] = true
	w.puts.Go(func() error {
		stored := w.repository.codec.to.EncodeAll(content, nil)
		err := w.repository.store.put(w.storing, chunkName(id), stored)
		w.progress.Written.Add(int64(len(stored)))
		return err
	})
	return id
}

// flush stores the chunk of small files, and lists the waiting entries.
func (w *Writer) flush() error {
	if len(w.pack) > 0 {
		id := w.put(w.pack)
		w.pack = nil
		for _, one := range w.waiting {
			if one.small {
				one.Parts[0].Chunk = id
			}
		}
	}
	waiting := w.waiting
	w.waiting = nil
	for _, one := range waiting {
		if err := w.enlist(one); err != nil {
			return err
		}
	}
	return nil
}

// enlist adds an entry to the list of files.
func (w *Writer) enlist(one *packed) error {
	if len(w.waiting) > 0 {
		w.waiting = append(w.waiting, one)
		return nil
	}
	if err := json.NewEncoder(&w.list).Encode(one.Entry); err != nil {
		return err
	}
	for w.list.Len() >= changingChunk {
		w.lists = append(w.lists, w.put(bytes.Clone(w.list.Next(changingChunk))))
	}
	return nil
}

// Problem records damage that was found in the data.
func (w *Writer) Problem(text string) {
	if len(w.faults) < maxProblems {
		w.faults = append(w.faults, text)
	}
}

// Finish stores the manifest, after everything else is durable. objects is the number of objects in the backup.
func (w *Writer) Finish(mark time.Time, objects int) (m Manifest, err error) {
	if err = w.flush(); err == nil && w.list.Len() > 0 {
		w.lists = append(w.lists, w.put(bytes.Clone(w.list.Bytes())))
	}
	if failed := w.puts.Wait(); failed != nil { // other errors follow from it
		err = failed
	}
	if err == nil && w.ctx.Err() != nil {
		err = context.Cause(w.ctx)
	}
	m = Manifest{
		Format: formatVersion, ID: newID(mark), Folder: w.options.Folder, Program: w.options.Program, Mark: mark.UTC(), Finished: time.Now().UTC(),
		Files: int(w.progress.Files.Load()), Objects: objects, Bytes: w.progress.Bytes.Load(), Written: w.progress.Written.Load(),
		Lists: w.lists, Problems: w.faults,
	}
	if err == nil {
		err = w.store(m)
	}
	if err != nil {
		return m, fmt.Errorf("backup: %w", err)
	}
	return m, nil
}

func (w *Writer) store(m Manifest) error {
	content, err := json.Marshal(m)
	if err != nil {
		return err
	}
	if err := w.lock.check(w.ctx); err != nil {
		return err
	}
	return w.repository.store.put(w.ctx, manifestName(m.ID), content)
}

// Close ends the backup. Without Finish, it leaves the stored chunks for the next one. Further calls do nothing.
func (w *Writer) Close() error {
	if w.lock == nil {
		return nil
	}
	if w.last != nil {
		w.last.stop()
	}
	w.stop(context.Canceled)
	_ = w.puts.Wait() // Finish or Add has reported the error
	w.held.Wait()
	ctx, cancel := context.WithTimeout(context.Background(), releaseTime)
	defer cancel()
	err := w.lock.release(ctx)
	w.lock = nil
	if err != nil {
		return fmt.Errorf("backup: release the repository: %w", err)
	}
	return nil
}
