package backup

import (
	"bufio"
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"iter"
	"slices"
	"strings"
)

// Entries returns the files of a backup, in the order in which they were stored. It ends with an error if it cannot read them.
func (r *Repository) Entries(ctx context.Context, of Manifest) iter.Seq2[Entry, error] {
	return func(yield func(Entry, error) bool) {
		lines := bufio.NewReader(&listReader{ctx: ctx, repository: r, rest: of.Lists})
		for {
			line, err := lines.ReadBytes('\n')
			if errors.Is(err, io.EOF) && len(line) == 0 {
				return
			}
			var one Entry
			if err == nil {
				if err = json.Unmarshal(line, &one); err != nil {
					err = fmt.Errorf("%w: the list of files of %s: %w", ErrDamaged, of.ID, err)
				}
			}
			if !yield(one, err) || err != nil {
				return
			}
		}
	}
}

// listReader reads chunks one after the other.
type listReader struct {
	ctx        context.Context
	repository *Repository
	rest       []ID
	content    bytes.Reader
}

func (l *listReader) Read(p []byte) (int, error) {
	for l.content.Len() == 0 {
		if len(l.rest) == 0 {
			return 0, io.EOF
		}
		content, err := l.repository.chunk(l.ctx, l.rest[0])
		if err != nil {
			return 0, err
		}
		l.rest = l.rest[1:]
		l.content.Reset(content)
	}
	return l.content.Read(p)
}

// previous finds the entries of the last backup. It reads them once, in order, so it does not find an entry that is out of
// order; its content is then read again.
type previous struct {
	next func() (Entry, error, bool)
	stop func()
	at   Entry
	more bool
}

func newPrevious(entries iter.Seq2[Entry, error]) *previous {
	p := &previous{}
	p.next, p.stop = iter.Pull2(entries)
	p.advance()
	return p
}

// advance reads the next entry. After an error there are no more.
func (p *previous) advance() {
	var err error
	if p.at, err, p.more = p.next(); err != nil {
		p.more = false
	}
}

// find returns the entry with a path.
func (p *previous) find(path string) (Entry, bool) {
	for p.more && before(p.at.Path, path) {
		p.advance()
	}
	return p.at, p.more && p.at.Path == path
}

// before reports whether a walk of a folder reaches the path a before the path b.
func before(a, b string) bool {
	return slices.Compare(strings.Split(a, "/"), strings.Split(b, "/")) < 0
}
