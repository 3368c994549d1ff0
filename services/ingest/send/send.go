// Package send copies the content of an item to a new item, of the same area or of another one. The content is copied within
// the server: it passes neither through the client nor through ingest. Areas supply both sides: Source finds the content of an
// item that the caller may read, and Target creates the new item as its own call for uploads does.
package send

import (
	"bytes"
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"io"
	"maps"
	"slices"
	"strings"

	"github.com/assay-project/assay/pkg/saved"
	"github.com/assay-project/assay/pkg/web"
	"github.com/assay-project/assay/services/ingest/accept"
)

// Contents of an item that can be sent.
const (
	Original = "original" // the content as it was uploaded
	Result   = "result"   // what was made of it
)

// Selection selects the content of an item.
type Selection struct {
	ID      string
	Content string // Original or Result
	Link    string // the token of a share link that lets the caller read the item, or ""
}

// Refusing is an area that converts its errors into HTTP problems.
type Refusing interface {
	Problem(error) error
}

// Source is an area whose items have content.
type Source interface {
	Refusing
	// Content returns content of an item that the caller may read, according to the rule of the call that downloads it. If
	// there is none, the problem is that of the download, or 422 if the items of the area have no such content.
	Content(ctx context.Context, s Selection, caller web.Caller) (accept.Stored, error)
}

// Target is an area that creates items.
type Target interface {
	Refusing
	// Create creates an item with a copy of the content. It returns when the item, its content and its work are durable, as
	// after the upload of a form. The checks, limits and defaults are those of the call for uploads, and so are the problems.
	// A repeated request with an idempotency key returns the item of the first one, even if the content no longer exists.
	Create(ctx context.Context, r Request) (Created, error)
}

// Request is a request for an item with content of another item.
type Request struct {
	Owner string // of the new item
	Named bool   // whether the request names the owner
	Key   string // the idempotency key, or ""

	Content accept.Stored
	Source  string // identifies the content, and the name that the client requested

	Name     string  // of the new item; by default that of the content, in a form that the area accepts
	ParentID string  // of the folder of the new item, or ""
	Prompt   string  // how to edit the content
	Options  Options // of the new item
}

// Created is the item that a request created, or that the first request with the same idempotency key created.
type Created struct {
	ID   string
	Path string // of the call that reads the item
}

// Fields of requests that do not apply to every target.
const (
	ParentID    = "parentId"
	Prompt      = "prompt"
	OptionsName = "options"
)

// Unused returns a problem if the request has one of the fields, which the target does not use.
func (r Request) Unused(fields ...string) error {
	given := map[string]bool{ParentID: r.ParentID != "", Prompt: r.Prompt != "", OptionsName: len(r.Options.RawMessage) > 0}
	var wrong []web.FieldError
	for _, field := range fields {
		if given[field] {
			wrong = append(wrong, web.FieldError{Field: "body." + field, Message: "does not apply to items of this area"})
		}
	}
	if len(wrong) > 0 {
		return web.Invalid(wrong...)
	}
	return nil
}

// Options are the options of the target's call for uploads, as a JSON object.
type Options struct{ json.RawMessage }

// Decode stores the options in a value of the target's type. Absent options leave it unchanged. It returns a problem for an
// option that the type does not have.
func (o Options) Decode(into any) error {
	if len(o.RawMessage) == 0 || bytes.Equal(o.RawMessage, []byte("null")) {
		return nil
	}
	d := json.NewDecoder(bytes.NewReader(o.RawMessage))
	d.DisallowUnknownFields()
	err := d.Decode(into)
	if _, more := d.Token(); err == nil && !errors.Is(more, io.EOF) {
		err = errors.New("has more than one value")
	}
	if err != nil {
		return web.Invalid(web.FieldError{Field: "body." + OptionsName, Message: "is not an object of options of this area: " + strings.TrimPrefix(err.Error(), "json: ")})
	}
	return nil
}

// Service sends items between areas.
type Service struct {
	sources map[string]Source
	targets map[string]Target
}

// New returns a service for areas by their names. It uses those that implement Source, Target, or both.
func New[A any](areas map[string]A) *Service {
	s := &Service{map[string]Source{}, map[string]Target{}}
	for name, area := range areas {
		if source, ok := any(area).(Source); ok {
			s.sources[name] = source
		}
		if target, ok := any(area).(Target); ok {
			s.targets[name] = target
		}
	}
	return s
}

// Order is what becomes of the content of an item. See the call that sends items.
type Order struct {
	Owner string // of the new item
	Named bool   // whether the request names the owner
	Key   string // the idempotency key, or ""

	To      string // the area of the new item
	Content string // Original or Result; default: Original
	Link    string // the token of a share link, or ""

	Name, ParentID, Prompt string
	Options                Options
}

// Send creates an item with the content of another one, which the caller may read. It returns a problem if that is not possible.
func (s *Service) Send(ctx context.Context, c web.Caller, from saved.Item, o Order) (SentItem, error) {
	source, known := s.sources[from.Area]
	if !known {
		return SentItem{}, web.NotFound("There is no such area. Items are sent from: " + names(s.sources) + ".")
	}
	target, known := s.targets[o.To]
	if !known {
		return SentItem{}, web.Invalid(web.FieldError{Field: "body.to", Message: "must be one of: " + names(s.targets)})
	}
	content := cmp.Or(o.Content, Original)
	stored, err := source.Content(ctx, Selection{ID: from.ID, Content: content, Link: o.Link}, c)
	stored.Err = source.Problem(err) // a repeated request may not need the content
	created, err := target.Create(ctx, Request{
		Owner: o.Owner, Named: o.Named, Key: o.Key,
		Content: stored, Source: strings.Join([]string{from.Area, from.ID, content, o.Name}, "\x00"),
		Name: o.Name, ParentID: o.ParentID, Prompt: o.Prompt, Options: o.Options,
	})
	return SentItem{Area: o.To, ID: created.ID, URL: created.Path}, target.Problem(err)
}

// Targets returns the names of the areas that items can be sent to, sorted.
func (s *Service) Targets() []string { return slices.Sorted(maps.Keys(s.targets)) }

// names returns the names of areas as a list for people.
func names[A any](areas map[string]A) string {
	return strings.Join(slices.Sorted(maps.Keys(areas)), ", ")
}
