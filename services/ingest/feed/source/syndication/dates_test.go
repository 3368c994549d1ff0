package syndication_test

import (
	"strings"
	"testing"
	"time"
)

// TestDates reads dates in the forms that publishers use. An empty time means that the text is not a date.
func TestDates(t *testing.T) {
	if got, err := served(t, document(t, "date-thurs.xml")); err != nil || len(got.Entries) != 1 || got.Entries[0].Published.Format(time.RFC3339) != "2026-11-26T10:00:00Z" {
		t.Errorf("date-thurs.xml: got %+v, error %v, want 2026-11-26T10:00:00Z", got, err)
	}
	for want, texts := range map[string][]string{
		"2026-11-26T10:00:00Z": {
			"Thurs, 26 Nov 2026 10:00:00 GMT", "Fri, 26 Nov 2026 10:00:00 GMT", "Donnerstag, 26 Nov 2026 10:00:00 GMT", "Thu, 26 Nov 26 10:00:00 GMT",
			"Thu, 26 Nov 2026 10:00:00", "Thu, 26 Nov 2026 10:00", "Thursday, 26-Nov-26 10:00:00 GMT", "Thursday, 26 November 2026 10:00:00 +0000",
			"Thu Nov 26 10:00:00 2026", "Thu Nov 26 11:00:00 +0100 2026", "Thu Nov 26 05:00:00 EST 2026", "Thu, Nov 26 2026 03:00:00 PDT", "Thu 26 Nov 2026 10:00:00 Z",
			"Thu, 26 Nov 2026 10:00:00 Etc/GMT", "Thu. 26 Nov 2026 10:00:00 GMT", "26-Nov-2026 10:00:00 GMT", "Thu, 26 Nov 2026 15:30:00 +05:30",
			"Thu, 26 Nov 2026 11:00:00GMT+01:00", "THU, 26 NOV 2026 10:00:00 UT", "Thurs, Nov. 26th, 2026 10:00 AM",
			"2026-11-26T10:00:00Z", "2026-11-26t10:00:00z", "2026-11-26T10:00Z", "2026-11-26T10Z", "20261126T100000Z", "20261126T110000+0100", "2026-11-26T11:00:00.5+01:00",
			"2026-11-26 10:00:00", "2026-11-26 10:00:00.0", "2026-11-26T11:00:00+01", "2026-11-26T10:00:00 GMT", "2026-330T10:00", "Thu, 2026/11/26 05:00:00 EST",
			"2026년 11월 26일  오후 07:00:00", "2026-11-26 오후 07:00:00", "2026-november-26T5:00-05:00", "Πεμ, 26 Νοέ 2026 12:00:00 +0200",
		},
		"2026-11-26T00:00:00Z": {"2026-11-26", "20261126", "2026-330", "2026330", "26-11-26", "2026/11/26", "26 Nov 2026", "Thurs, 26 Nov 2026", "2026-11-25T24:00:00Z"},
		"2026-11-01T00:00:00Z": {"2026-11", "2026-10-31T24:00:00Z"},
		"2026-01-01T00:00:00Z": {"2026"},
		"1999-11-26T10:00:00Z": {"Friday, 26-Nov-99 10:00:00 GMT", "Fri, 26 Nov 99 10:00:00"},
		"2004-07-13T14:15:00Z": {"2004-július-13T9:15-05:00"},
		"2026-09-26T10:00:00Z": {"26 Sept. 2026 10:00 GMT (UTC)"},
		"":                     {"", strings.Repeat("1:", 1000), "yesterday", "10:00", "Thu", "26 Nov", "2026-13-01", "32 Nov 2026", "31 Nov 2026 10:00:00 GMT", "Thurs, 26 Nov 2026 25:00:00 GMT", "0000-11-26T10:00:00Z"},
	} {
		for _, text := range texts {
			for format, body := range written(declared, "https://site.example/", fields{"urn:1", "https://a.example/1", "One", text}) {
				got, err := served(t, body)
				if err != nil || len(got.Entries) != 1 {
					t.Fatalf("%s, %q: got %+v, error %v, want an entry", format, text, got, err)
				}
				read := ""
				if at := got.Entries[0].Published; !at.IsZero() {
					read = at.UTC().Truncate(time.Second).Format(time.RFC3339)
				}
				if read != want {
					t.Errorf("%s, %q: got %s, want %s", format, text, read, want)
				}
			}
		}
	}
}
