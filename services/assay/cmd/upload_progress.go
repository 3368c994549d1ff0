package cmd

import (
	"context"
	"fmt"
	"io"
	"path/filepath"
	"sync/atomic"
	"time"

	"github.com/vbauerster/mpb/v8"
	"github.com/vbauerster/mpb/v8/decor"
)

// progress shows uploads in progress on a terminal. A nil *progress, and the nil *bar that it
// returns, display nothing.
type progress struct {
	bars     *mpb.Progress
	total    *mpb.Bar // totals of all files; nil for a single file
	terminal io.Writer
}

// interrupted moves the cursor back to the start of its line, because a terminal echoes Ctrl-C as two
// characters and the bars would be redrawn after them.
func (p *progress) interrupted() {
	if p != nil {
		_, _ = io.WriteString(p.terminal, "\r") // for display only
	}
}

// newProgress returns nil unless w is a terminal.
func newProgress(w io.Writer, files int) *progress {
	if !isTerminal(w) {
		return nil
	}
	p := &progress{bars: mpb.New(mpb.WithOutput(w)), terminal: w}
	if files > 1 {
		p.total = p.bars.AddBar(int64(files),
			mpb.BarPriority(files), // below the bars of the files
			mpb.BarRemoveOnComplete(),
			mpb.PrependDecorators(decor.Name("files ")),
			mpb.AppendDecorators(decor.CountersNoUnit(" %d of %d")))
	}
	return p
}

// end removes the bars from the terminal.
func (p *progress) end() {
	if p == nil {
		return
	}
	if p.total != nil {
		p.total.Abort(true)
	}
	p.bars.Wait()
}

// bar displays the progress of one file.
type bar struct {
	*mpb.Bar
	total   *mpb.Bar
	hashing atomic.Bool // the bar counts bytes read for the checksum, not bytes sent
	waiting atomic.Bool
	resumed atomic.Int64 // bytes sent by an earlier run, or -1 until known
	streams atomic.Int64 // bytes sent by an upload of unknown size
}

// longestName is the maximum length of a displayed path, in code points.
const longestName = 32

func (p *progress) add(path string) *bar {
	if p == nil {
		return nil
	}
	name := []rune(shown(filepath.Clean(path)))
	if cut := len(name) - longestName; cut > 0 {
		name = name[cut:] // the end of a path tells files apart
		name[0] = '…'
	}
	b := &bar{total: p.total}
	b.resumed.Store(-1)
	var pace rate
	b.Bar = p.bars.AddBar(0,
		mpb.PrependDecorators(decor.Name(fmt.Sprintf("%-*s ", longestName, string(name)))),
		mpb.AppendDecorators(decor.Any(func(s decor.Statistics) string {
			switch {
			case b.waiting.Load():
				return " analyzing"
			case s.Total == 0:
				return " " + sizeOf(b.streams.Load())
			}
			doing := " "
			if b.hashing.Load() {
				doing = " hashing "
			}
			return doing + sizeOf(s.Current) + " of " + sizeOf(s.Total) + pace.shown(time.Now(), s.Current-max(0, b.resumed.Load()), s.Total-s.Current)
		})))
	return b
}

// hash returns a reader for computing the checksum of a file of the given size. The reader fails once
// ctx is done, and the bar shows the number of bytes read.
func (b *bar) hash(ctx context.Context, file io.Reader, bytes int64) io.Reader {
	file = until{ctx, file}
	if b == nil {
		return file
	}
	b.hashing.Store(true)
	b.SetTotal(bytes, false)
	return io.TeeReader(file, hashed{b})
}

// until is a reader that fails once ctx is done.
type until struct {
	ctx context.Context
	io.Reader
}

func (u until) Read(p []byte) (int, error) {
	if err := u.ctx.Err(); err != nil {
		return 0, err
	}
	return u.Reader.Read(p)
}

// hashed counts the bytes read for a checksum.
type hashed struct{ *bar }

func (h hashed) Write(p []byte) (int, error) {
	h.IncrBy(len(p))
	return len(p), nil
}

// size ends hashing, resets the bar and sets the number of bytes to send.
func (b *bar) size(bytes int64) {
	if b != nil {
		b.hashing.Store(false)
		b.SetCurrent(0)
		b.SetTotal(bytes, false)
	}
}

func (b *bar) sent(bytes int64) {
	if b != nil {
		b.resumed.CompareAndSwap(-1, bytes)
		b.SetCurrent(bytes)
	}
}

// Write counts the bytes of a stream.
func (b *bar) Write(p []byte) (int, error) {
	if b != nil {
		b.streams.Add(int64(len(p)))
	}
	return len(p), nil
}

func (b *bar) wait() {
	if b != nil {
		b.waiting.Store(true)
	}
}

func (b *bar) done() {
	if b == nil {
		return
	}
	b.Abort(true)
	if b.total != nil {
		b.total.Increment()
	}
}
