package contact_test

import (
	"flag"
	"strings"
	"testing"

	"github.com/assay-project/assay/pkg/extract/contact"
	"github.com/assay-project/assay/pkg/extract/records"
	"github.com/assay-project/assay/pkg/extract/records/recordstest"
)

// A card of each version. vobject 0.9 (Debian) reads the same values of the properties of the first and the third.
const (
	version4 = "BEGIN:VCARD\r\nVERSION:4.0\r\nFN:Simon Perreault\r\nN:Perreault;Simon;;;ing. jr,M.Sc.\r\n" +
		"EMAIL;TYPE=work:simon\r\n .perreault@viagenie.ca\r\nitem1.TEL;VALUE=uri;TYPE=\"voice,home\":tel:+1-555;ext=102\r\n" +
		"ADR;LABEL=\"Suite: D2\":;Suite D2-630;2875 Laurier;Quebec;QC;G1V 2M2;Canada\r\nNOTE:one\\, two\\nthree\\; four\r\nEND:VCARD\r\n"
	version3  = "begin:vcard\nversion:3.0\nn:Smith;John\nemail:a@example.org\nemail:b@example.org\nphoto;encoding=b:AAAA\n BBBB\nend:vcard\n"
	version21 = "BEGIN:VCARD\r\nVERSION:2.1\r\nN;CHARSET=ISO-8859-1;ENCODING=QUOTED-PRINTABLE:M=FCller;J=F6rg\r\n" +
		"TEL;HOME;VOICE:030 1234\r\nNOTE;ENCODING=QUOTED-PRINTABLE;CHARSET=UTF-8:Gr=C3=BC=\r\n=C3=9Fe=0D=0Aaus K=C3=B6ln\r\nEND:VCARD\r\n"
)

func TestRead(t *testing.T) {
	for text, want := range map[string]struct {
		name   string
		fields records.Fields
	}{
		version4: {"Simon Perreault", records.Fields{
			{Name: "FN", Value: "Simon Perreault"}, {Name: "N", Value: "Perreault, Simon, ing. jr,M.Sc."},
			{Name: "EMAIL", Value: "simon.perreault@viagenie.ca"}, {Name: "TEL", Value: "tel:+1-555;ext=102"},
			{Name: "ADR", Value: "Suite D2-630, 2875 Laurier, Quebec, QC, G1V 2M2, Canada"}, {Name: "NOTE", Value: "one, two\nthree; four"},
		}},
		version3: {"Smith, John", records.Fields{{Name: "N", Value: "Smith, John"}, {Name: "EMAIL", Value: "a@example.org\nb@example.org"}}},
		version21: {"Müller, Jörg", records.Fields{
			{Name: "N", Value: "Müller, Jörg"}, {Name: "TEL", Value: "030 1234"}, {Name: "NOTE", Value: "Grüße\r\naus Köln"},
		}},
	} {
		r := contact.Read([]byte(text))
		if r.Failed() || r.Name != want.name || len(r.Fields) != len(want.fields) {
			t.Errorf("got %+v, want the name %q and the fields %q", r, want.name, want.fields)
			continue
		}
		for i, field := range want.fields {
			if r.Fields[i] != field {
				t.Errorf("got field %q, want %q", r.Fields[i], field)
			}
		}
	}
	if r := contact.Read([]byte("BEGIN:VCARD\nFN:A\n")); !r.Failed() {
		t.Errorf("got %+v for a card without an end, want an error", r)
	}
}

// TestBoundary checks that cards are separate records, wherever the lines between them end.
func TestBoundary(t *testing.T) {
	text := "\uFEFF" + version4 + "\r\n\r\n" + version3 + "garbage\n" + version21
	spans, found, err := records.Spans(strings.NewReader(text), contact.Boundary())
	if err != nil || found != 3 || len(spans) != 1 || spans[0].Count != 3 {
		t.Errorf("got %d records in %+v, error %v; want 3 in one chunk", found, spans, err)
	}
}

var mutations = flag.Int("mutations", 2_000, "`number` of damaged files to read")

func TestDamagedFiles(t *testing.T) {
	seeds := [][]byte{[]byte(version4), []byte(version3), []byte(version21)}
	recordstest.Mutate(t, *mutations, seeds, func(damaged []byte) { contact.Read(damaged) })
}
