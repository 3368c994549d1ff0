package bus

import "testing"

func TestSubjectFilter(t *testing.T) {
	for _, c := range []struct {
		filter, subject string
		want            bool
	}{
		{"a.b", "a.b", true}, {"a.b", "a.c", false}, {"a.*", "a.b", true}, {"a.*", "a.b.c", false}, {"a.*", "a", false},
		{"a.>", "a.b.c", true}, {"a.>", "a", false}, {">", "a", true}, {"a.*.c", "a.b.c", true}, {"a.b.c", "a.b", false},
	} {
		if got := matches(c.filter, c.subject); got != c.want {
			t.Errorf("matches(%q, %q) = %v, want %v", c.filter, c.subject, got, c.want)
		}
	}
}

// TestStoredSubjectIsParsed checks the parts of the subject under which a work stream stores a message.
func TestStoredSubjectIsParsed(t *testing.T) {
	priority, public, ok := ParseStored(storedSubject("2", "tenant", "assay.file.uploaded.f1"))
	if priority != 2 || public != "assay.file.uploaded.f1" || !ok {
		t.Errorf("got %d, %q, %v, want 2, assay.file.uploaded.f1 and true", priority, public, ok)
	}
	for _, other := range []string{"assay.file.uploaded.f1", "assay-work.x.tenant.file", "assay-work.1"} {
		if _, _, ok := ParseStored(other); ok {
			t.Errorf("%s was parsed, want false", other)
		}
	}
}

// TestAttemptSubjectOfAnyItem checks that the subject of a record is valid for every id.
func TestAttemptSubjectOfAnyItem(t *testing.T) {
	for item, want := range map[string]string{
		"f1": "assay-attempt.c.7.f1", "rss#a-b_c": "assay-attempt.c.7.rss#a-b_c", "": "assay-attempt.c.7", "a b": "assay-attempt.c.7", "a.b": "assay-attempt.c.7",
		">": "assay-attempt.c.7", "*": "assay-attempt.c.7.*",
	} {
		if got := AttemptSubject("c", "7", item); got != want {
			t.Errorf("AttemptSubject of %q: got %s, want %s", item, got, want)
		}
	}
}
