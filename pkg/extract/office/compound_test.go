package office_test

import (
	"bytes"
	"errors"
	"strings"
	"testing"

	"github.com/assay-project/assay/pkg/extract/office"
	"github.com/assay-project/assay/pkg/extract/office/officetest"
)

func read(t testing.TB, data []byte, l office.Limits) (*office.Document, error) {
	t.Helper()
	return office.Read(t.Context(), bytes.NewReader(data), int64(len(data)), l)
}

func mustRead(t testing.TB, data []byte) *office.Document {
	t.Helper()
	d, err := read(t, data, office.Limits{})
	if err != nil {
		t.Fatal(err)
	}
	if d.Damaged != 0 || d.Cut != "" {
		t.Errorf("got %d damaged parts, truncated: %q, want neither", d.Damaged, d.Cut)
	}
	return d
}

func TestCompound(t *testing.T) {
	for name, c := range map[string]struct {
		data   []byte
		want   error
		format string
	}{
		"encrypted":    {officetest.Compound(officetest.Part{"EncryptionInfo", ""}, officetest.Part{"EncryptedPackage", "x"}), office.ErrLocked, ""},
		"Word":         {officetest.Compound(officetest.Part{"WordDocument", strings.Repeat("\x00", 12)}), nil, "doc"},
		"Word, locked": {officetest.Compound(officetest.Part{"WordDocument", strings.Repeat("\x00", 11) + "\x01"}), office.ErrLocked, ""},
		"Excel":        {officetest.Compound(officetest.Part{"Workbook", ""}), nil, "xls"},
		"PowerPoint":   {officetest.Compound(officetest.Part{"PowerPoint Document", ""}), nil, "ppt"},
		"other format": {officetest.Compound(officetest.Part{"Contents", ""}), office.ErrFormat, ""},
		"truncated":    {officetest.Compound(officetest.Part{"Workbook", ""})[:600], office.ErrDamaged, ""},
		"with title":   {officetest.Compound(officetest.Part{"\x05SummaryInformation", officetest.Summary("On Foxes")}, officetest.Part{"WordDocument", strings.Repeat("\x00", 12)}), nil, "doc"},
	} {
		d, err := read(t, c.data, office.Limits{})
		if !errors.Is(err, c.want) || err == nil && d.Format != c.format {
			t.Errorf("%s: got %+v, %v; want %q, %v", name, d, err, c.format, c.want)
		}
		if name == "with title" && d.Properties.Title != "On Foxes" {
			t.Errorf("got properties %+v, want the title On Foxes", d.Properties)
		}
	}
}
