// Package reason contains the sentences that tell users why something failed or was left out, in addition to those of
// the parsers, which are in package extract/reason.
//
// An error that users may see is a Reason or a Temporary, or wraps one together with its cause:
//
//	const ErrDamaged = reason.DocumentDamaged
//	return fmt.Errorf("%w: %w", ErrDamaged, err)
//
// Of returns the sentence and never the text of the cause, which can be the stack of an engine or name a Go package.
// The cause belongs in the log. The list of sentences is closed: only this package and extract/reason add to it.
package reason

import (
	"regexp"
	"strings"
	"sync"

	"github.com/assay-project/assay/pkg/extract/reason"
)

// Reason is a sentence about the content, as in extract/reason.
type Reason = reason.Reason

// Temporary is a sentence about something that may pass, as in extract/reason.
type Temporary = reason.Temporary

// Detail is a part of a sentence, as in extract/reason.
type Detail = reason.Detail

// Recorded returns the error of a sentence that Of returned before and an item stores. It returns Unknown for other texts.
func Recorded(text string) error {
	if !Listed(text) {
		return Unknown
	}
	return Reason(text)
}

// Of returns the sentence for an error, or that of Unknown.
func Of(err error) string {
	if text, _, ok := reason.Find(err); ok {
		return text
	}
	return Unknown.Error()
}

// Stated reports whether an error has a reason, so that Of returns more than Unknown.
func Stated(err error) bool {
	_, _, ok := reason.Find(err)
	return ok
}

// Permanent reports whether an error has a reason that another attempt with the same content would meet again.
func Permanent(err error) bool {
	_, permanent, _ := reason.Find(err)
	return permanent
}

// Listed reports whether a text consists of sentences of the list, joined by "; " and each preceded by the name of a step
// or not.
func Listed(text string) bool { return listed().MatchString(text) }

// listed compiles the expression of Listed once, at its first use.
var listed = sync.OnceValue(func() *regexp.Regexp { return listOf(allSentences()) })

// allSentences returns the sentences of the list and of the parsers, with verbs.
func allSentences() []string {
	all := reason.Sentences()
	for _, s := range sentences {
		all = append(all, s.Error())
	}
	return all
}

// listOf matches texts that consist of the given sentences; see Listed.
func listOf(sentences []string) *regexp.Regexp {
	one := oneOf(sentences)
	return regexp.MustCompile(`(?s)^` + one + `(; ` + one + `)*$`)
}

// oneOf returns the expression of one of the sentences, with any values of its verbs, after the name of a step or not, and
// with a detail or not.
func oneOf(sentences []string) string {
	verb := regexp.MustCompile(`%[\\.0-9]*[a-z]`) // of a quoted sentence
	pattern := func(sentence string) string {
		return verb.ReplaceAllString(strings.ReplaceAll(regexp.QuoteMeta(sentence), "%d", `-?\d+`), ".*?")
	}
	var all, more []string
	for _, s := range sentences {
		all = append(all, pattern(s))
	}
	for _, d := range append(reason.Details(), details...) {
		more = append(more, pattern(string(d)))
	}
	return `([a-z]+(/\d+)?: )?(` + strings.Join(all, "|") + `)(: (` + strings.Join(more, "|") + `))?`
}
