package event

import (
	"cmp"
	"slices"
	"strconv"
	"strings"
	"time"
	"unicode"
)

// DeadLetter describes a message that a consumer gave up on, in the headers of its dead letter.
type DeadLetter struct {
	Consumer string // consumer that gave up on the message
	Subject  string // original subject of the message
	Reason   string
	Class    DeadClass
	Attempts int       // 0 if the dead letter was restored
	First    time.Time // when the stream stored the message
	Last     time.Time // when the consumer gave up on the message
}

// DeadClass classifies dead letters by what an operator can do about them.
type DeadClass string

// Classes of dead letters.
const (
	DeadCrashed       DeadClass = "crashed"       // the handler panicked, or its workers died
	DeadTimeout       DeadClass = "timeout"       // the attempts exceeded their time
	DeadUnavailable   DeadClass = "unavailable"   // a backend, provider or server did not respond
	DeadRejected      DeadClass = "rejected"      // a table rejected the result: a defect
	DeadConfiguration DeadClass = "configuration" // something is not configured
	DeadMissing       DeadClass = "missing"       // stored bytes are gone
	DeadEvent         DeadClass = "event"         // the message is not a readable event
	DeadOther         DeadClass = "other"         // another fault, or stored before dead letters had a class
)

// DeadClasses returns all classes.
func DeadClasses() []DeadClass {
	return []DeadClass{DeadCrashed, DeadTimeout, DeadUnavailable, DeadRejected, DeadConfiguration, DeadMissing, DeadEvent, DeadOther}
}

// Headers of a dead letter in addition to those of the message.
const (
	DeadReason      = deadHeaders + "reason"
	DeadClassHeader = deadHeaders + "class"
	DeadAttempts    = deadHeaders + "attempts"
	DeadSubject     = deadHeaders + "subject"
	DeadConsumer    = deadHeaders + "consumer"
	DeadFirst       = deadHeaders + "first" // RFC 3339
	DeadLast        = deadHeaders + "last"  // RFC 3339
)

const deadHeaders = "assay-dead-"

// DeadOf returns the subject of the dead letters of a consumer.
func DeadOf(consumer string) string { return strings.TrimSuffix(DeadSubjects, ">") + consumer }

// Headers returns the headers of the dead letter of a message with the given headers.
func (l DeadLetter) Headers(message map[string][]string) map[string][]string {
	h := OwnHeaders(message)
	h[DeadReason] = []string{oneLine(l.Reason)}
	h[DeadClassHeader] = []string{string(cmp.Or(l.Class, DeadOther))}
	h[DeadAttempts] = []string{strconv.Itoa(l.Attempts)}
	h[DeadSubject] = []string{l.Subject}
	h[DeadConsumer] = []string{l.Consumer}
	h[DeadFirst] = []string{l.First.UTC().Format(time.RFC3339Nano)}
	h[DeadLast] = []string{l.Last.UTC().Format(time.RFC3339Nano)}
	return h
}

// OwnHeaders returns the headers of a message without those that instruct the server about its
// stream, and without those of a dead letter.
func OwnHeaders(message map[string][]string) map[string][]string {
	own := map[string][]string{}
	for name, values := range message {
		if !strings.HasPrefix(name, "Nats-") && !strings.HasPrefix(name, deadHeaders) {
			own[name] = values
		}
	}
	return own
}

// ParseDeadLetter parses the headers of a dead letter. It leaves unreadable fields empty, because
// a dead letter that cannot be read could not be dropped. The class is DeadOther if it is missing or unknown.
func ParseDeadLetter(header map[string][]string) DeadLetter {
	l := DeadLetter{Consumer: value(header, DeadConsumer), Subject: value(header, DeadSubject), Reason: value(header, DeadReason)}
	if l.Class = DeadClass(value(header, DeadClassHeader)); !slices.Contains(DeadClasses(), l.Class) {
		l.Class = DeadOther
	}
	l.Attempts, _ = strconv.Atoi(value(header, DeadAttempts))
	l.First, _ = time.Parse(time.RFC3339Nano, value(header, DeadFirst))
	l.Last, _ = time.Parse(time.RFC3339Nano, value(header, DeadLast))
	return l
}

// value returns the first value of a header, or "".
func value(header map[string][]string, name string) string {
	if values := header[name]; len(values) > 0 {
		return values[0]
	}
	return ""
}

// oneLine makes s valid as a header: no control characters, at most 1,000 bytes.
func oneLine(s string) string {
	s = strings.ToValidUTF8(s[:min(len(s), 1000)], "")
	return strings.Map(func(r rune) rune {
		if unicode.IsControl(r) {
			return ' '
		}
		return r
	}, s)
}
