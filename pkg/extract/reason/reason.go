// Package reason contains the sentences that tell people why content cannot be read, or was left out.
//
// An error that people may see is a [Reason] or a [Temporary], or wraps one together with its cause:
//
//	const ErrDamaged = reason.DocumentDamaged
//	return fmt.Errorf("%w: %w", ErrDamaged, err)
//
// [Find] returns the sentence and never the text of the cause, which can be the stack of an engine or name a Go package.
// The cause belongs in the log. Programs that import this module may add sentences with the same types.
package reason

import (
	"errors"
	"fmt"
	"slices"
)

// Reason is a sentence about the content: another attempt with the same content fails in the same way.
type Reason string

// Temporary is a sentence about something that may pass: another attempt may succeed.
type Temporary string

// Detail is a part of a sentence that a Reason or Temporary can be completed with.
type Detail string

// Error returns the sentence.
func (r Reason) Error() string { return string(r) }

// Error returns the sentence.
func (t Temporary) Error() string { return string(t) }

// Fill returns r with the values of its verbs: numbers, durations, and names that are safe to display.
func (r Reason) Fill(values ...any) error { return fill(r, string(r), values) }

// Fill returns t with the values of its verbs, as [Reason.Fill].
func (t Temporary) Fill(values ...any) error { return fill(t, string(t), values) }

// With returns r with a detail and the values of the detail's verbs.
func (r Reason) With(d Detail, values ...any) error { return with(r, d, values) }

// With returns t with a detail and the values of the detail's verbs.
func (t Temporary) With(d Detail, values ...any) error { return with(t, d, values) }

func (r Reason) sentence() (string, bool) { return string(r), true }

func (t Temporary) sentence() (string, bool) { return string(t), false }

// A sentence is a Reason or a Temporary, with values or without.
type sentence interface {
	error
	sentence() (text string, permanent bool)
}

// filled is a sentence with values.
type filled struct {
	of   sentence
	text string
}

func fill(of sentence, format string, values []any) error {
	return &filled{of, fmt.Sprintf(format, values...)}
}

func with(of sentence, d Detail, values []any) error {
	return &filled{of, of.Error() + ": " + fmt.Sprintf(string(d), values...)}
}

func (f *filled) Error() string { return f.text }
func (f *filled) Unwrap() error { return f.of }

func (f *filled) sentence() (string, bool) {
	_, permanent := f.of.sentence()
	return f.text, permanent
}

// Find returns the sentence of an error, which is the outermost in its tree, and whether it is a [Reason] rather than a
// [Temporary]. ok is false if the error has none.
func Find(err error) (text string, permanent, ok bool) {
	found, ok := errors.AsType[sentence](err)
	if !ok {
		return "", false, false
	}
	text, permanent = found.sentence()
	return text, permanent, true
}

// Sentences returns the sentences of this package, with verbs.
func Sentences() []string {
	var all []string
	for _, s := range sentences {
		all = append(all, s.Error())
	}
	return all
}

// Details returns the details of this package, with verbs.
func Details() []Detail { return slices.Clone(details) }
