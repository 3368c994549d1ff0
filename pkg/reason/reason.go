// Package reason contains the sentences that tell users why something failed or was left out.
//
// An error that users may see is a Reason, or wraps one together with its cause:
//
//	const ErrDamaged = reason.DocumentDamaged
//	return fmt.Errorf("%w: %w", ErrDamaged, err)
//
// Of returns the sentence and never the text of the cause, which can be the stack of an engine or name a Go package.
// The cause belongs in the log. The list of sentences is closed: only this package adds to it.
package reason

import (
	"errors"
	"fmt"
	"regexp"
	"strings"
	"sync"
)

// Error returns the sentence.
func (r Reason) Error() string { return sentences[r].text }

func (r Reason) sentence() (Reason, string) { return r, r.Error() }

// Fill returns r with the values of its verbs: numbers, durations, and names that are safe to display.
func (r Reason) Fill(values ...any) error {
	return &filled{r, fmt.Sprintf(r.Error(), values...)}
}

// With returns r with a detail and the values of the detail's verbs.
func (r Reason) With(d Detail, values ...any) error {
	return &filled{r, r.Error() + ": " + fmt.Sprintf(details[d], values...)}
}

// filled is a Reason with values.
type filled struct {
	Reason
	text string
}

func (f *filled) Error() string              { return f.text }
func (f *filled) Unwrap() error              { return f.Reason }
func (f *filled) sentence() (Reason, string) { return f.Reason, f.text }

// Recorded returns the error of a sentence that Of returned before and an item stores. It returns Unknown for other texts.
func Recorded(text string) error {
	if !Listed(text) {
		return Unknown
	}
	return &filled{Unknown, text}
}

// find returns the first reason in the tree of err, which is the outermost.
func find(err error) (r Reason, text string, ok bool) {
	var found interface{ sentence() (Reason, string) }
	if !errors.As(err, &found) {
		return Unknown, Unknown.Error(), false
	}
	r, text = found.sentence()
	return r, text, true
}

// Of returns the sentence for an error, or that of Unknown.
func Of(err error) string {
	_, text, _ := find(err)
	return text
}

// Stated reports whether an error has a reason, so that Of returns more than Unknown.
func Stated(err error) bool {
	_, _, ok := find(err)
	return ok
}

// Permanent reports whether an error has a reason that another attempt with the same content would meet again.
func Permanent(err error) bool {
	r, _, ok := find(err)
	return ok && !sentences[r].temporary
}

// Listed reports whether a text consists of sentences of the list, joined by "; " and each preceded by the name of a step
// or not.
func Listed(text string) bool { return listed().MatchString(text) }

// listed compiles the expression of Listed once, at its first use.
var listed = sync.OnceValue(func() *regexp.Regexp {
	verb := regexp.MustCompile(`%[\\.0-9]*[a-z]`) // of a quoted sentence
	pattern := func(sentence string) string { return verb.ReplaceAllString(regexp.QuoteMeta(sentence), ".*?") }
	var all, more []string
	for _, s := range sentences {
		all = append(all, pattern(s.text))
	}
	for _, d := range details {
		more = append(more, pattern(d))
	}
	one := `([a-z]+(/\d+)?: )?(` + strings.Join(all, "|") + `)(: (` + strings.Join(more, "|") + `))?`
	return regexp.MustCompile(`(?s)^` + one + `(; ` + one + `)*$`)
})
