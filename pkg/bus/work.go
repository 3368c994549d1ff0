package bus

import (
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"strconv"
	"strings"

	"github.com/assay-project/assay/pkg/bus/fair"
)

// Work describes a stream of work events.
type Work struct {
	Stream string
	// Subjects matches the subjects of the events and ends in ">", such as assay.file.uploaded.>.
	// No other stream contains them.
	Subjects string
}

// Stored returns a filter that matches the subjects under which the stream stores its messages.
func (w Work) Stored() string { return storedSubject("*", "*", w.Subjects) }

// stores reports whether the stream stores the events of a subject.
func (w Work) stores(subject string) bool {
	return strings.HasPrefix(subject, strings.TrimSuffix(w.Subjects, ">"))
}

// Durable is a durable consumer on the server.
type Durable struct {
	Name   string
	Filter string // subject filter; empty for all
}

// Durables returns the durables of a consumer of the stream, one per priority, highest first.
// filter applies to public subjects; an empty filter selects all.
func (w Work) Durables(consumer, filter string) []Durable {
	if filter == "" {
		filter = ">"
	}
	all := make([]Durable, fair.Priorities)
	for priority := range all {
		all[priority] = Durable{fmt.Sprintf("%s-%d", consumer, priority), storedSubject(strconv.Itoa(priority), "*", filter)}
	}
	return all
}

// A work stream stores a message under an internal subject with the priority and a
// hash of the tenant: assay-work.<priority>.<tenant>.file.uploaded.<fileId>. The
// server republishes it as assay.file.uploaded.<fileId>, for other subscribers.
const (
	storedPrefix = "assay-work."
	publicPrefix = "assay."
)

// storedSubject returns the subject under which a work stream stores a message; priority and
// tenant may be "*".
func storedSubject(priority, tenant, subject string) string {
	return storedPrefix + priority + "." + tenant + "." + strings.TrimPrefix(subject, publicPrefix)
}

// publicSubject is the inverse of storedSubject. It returns subjects of other forms unchanged.
func publicSubject(subject string) string {
	if rest, ok := strings.CutPrefix(subject, storedPrefix); ok {
		if parts := strings.SplitN(rest, ".", 3); len(parts) == 3 {
			return publicPrefix + parts[2]
		}
	}
	return subject
}

// tenantToken returns the token that stands for a tenant in a subject.
func tenantToken(tenant string) string {
	sum := sha256.Sum256([]byte(tenant))
	return hex.EncodeToString(sum[:8])
}
