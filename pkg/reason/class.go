package reason

import (
	"regexp"
	"sync"

	"github.com/assay-project/assay/pkg/event"
	"github.com/assay-project/assay/pkg/extract/reason"
)

// faults lists the sentences about faults, which an operator can do something about, with the class of their dead letters.
// Every other sentence is about what a client sent: an outcome, without a dead letter.
//
// An item stores only the sentence of its failure, so the sentence alone decides. A Temporary is always a fault.
var faults = []struct {
	sentence error
	class    event.DeadClass
}{
	{Unknown, event.DeadOther},
	{AnalysisFailed, event.DeadOther},
	{AnalysisLate, event.DeadTimeout},
	{AnalysisCrashed, event.DeadCrashed},
	{AnalysisLost, event.DeadCrashed},
	{AnalysisNewer, event.DeadConfiguration},
	{ResultRejected, event.DeadRejected},

	{BytesGone, event.DeadMissing},
	{UploadGone, event.DeadMissing},
	{NoBytes, event.DeadMissing}, // an item has work only after its bytes were stored
	{TextGone, event.DeadMissing},
	{RecordsGone, event.DeadMissing},
	{NoChunk, event.DeadMissing}, // the stored index of the records has fewer chunks than steps were opened

	{NeedsConverterForText, event.DeadConfiguration},
	{NeedsConverterForPicture, event.DeadConfiguration},
	{ProviderMissing, event.DeadConfiguration},
	{ProviderNoDescription, event.DeadConfiguration},
	{reason.EngineMissing, event.DeadConfiguration},

	{PageUnavailable, event.DeadUnavailable},
	{ProviderUnreachable, event.DeadUnavailable},
	{ProviderLost, event.DeadUnavailable},
	{ProviderSlow, event.DeadUnavailable},
	{ProviderStatus, event.DeadUnavailable},
	{ProviderMessage, event.DeadUnavailable},
	{ProviderAnswer, event.DeadUnavailable},
	{ProviderAnswersLost, event.DeadUnavailable},
	{reason.ConverterUnavailable, event.DeadUnavailable},
	{reason.EngineClosed, event.DeadUnavailable},
	{reason.EngineNotReady, event.DeadUnavailable},
	{CallNotMade, event.DeadOther},

	// The polls of sources fail no item. FeedStatus has the text of PageStatus, which decides.
	{FeedKeyMissing, event.DeadConfiguration},
	{FeedThrottled, event.DeadUnavailable},
	{FeedUnreachable, event.DeadUnavailable},
	{FeedSlow, event.DeadUnavailable},
	{FeedInterrupted, event.DeadUnavailable},
	{FeedStore, event.DeadUnavailable},
	{FeedMessage, event.DeadUnavailable},
	{FeedReport, event.DeadUnavailable},
	{FeedCrashed, event.DeadCrashed},
}

// Fault reports whether an item with this failure needs an operator, and not only another upload by its client. It is
// true for a text that is not in the list.
func Fault(text string) bool { return Class(text) != "" }

// Class returns the class of the dead letter of an item that failed with a sentence, or "" if the sentence is about what
// a client sent. Names of steps and details do not matter, and one fault among several sentences decides. A text that is
// not in the list is a fault.
func Class(text string) event.DeadClass {
	c := classes()
	if c.mistakes.MatchString(text) {
		return ""
	}
	for _, f := range c.faults {
		if f.text.MatchString(text) {
			return f.class
		}
	}
	return event.DeadOther
}

// matchers match the sentences of items.
type matchers struct {
	mistakes *regexp.Regexp
	faults   []matcher
}

type matcher struct {
	text  *regexp.Regexp
	class event.DeadClass
}

// classes compiles the expressions of Class once, at its first use.
var classes = sync.OnceValue(func() (c matchers) {
	isFault := map[string]bool{}
	for _, f := range faults {
		text := f.sentence.Error()
		c.faults = append(c.faults, matcher{regexp.MustCompile(`(?s)(^|; )` + oneOf([]string{text}) + `($|; )`), f.class})
		isFault[text] = true
	}
	var mistakes []string
	for _, text := range allSentences() {
		if !isFault[text] {
			mistakes = append(mistakes, text)
		}
	}
	c.mistakes = listOf(mistakes)
	return c
})
