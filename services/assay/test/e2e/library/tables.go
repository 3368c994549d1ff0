package library

import (
	"encoding/json"
	"fmt"
	"reflect"
	"strings"
	"testing"

	"github.com/assay-project/assay/services/assay/client"
	"github.com/assay-project/assay/services/assay/test/e2e/system"
)

// tablesAreReadAsWritten: tables whose header, first lines, decimal mark or charset leave room are read as instruments and
// spreadsheets mean them, and remarks say what was guessed. The metadata keep the lines before a table.
func tablesAreReadAsWritten(t *testing.T, s system.System) {
	c := s.Client(t, system.NewOwner())
	for name, test := range map[string]struct {
		text, columns, filter string
		want                  []string // the records that the filter selects
		preamble              any
		remarks               []string // a part of each remark
	}{
		"num_head.csv":  {"sample,2023,2024\nA,1,2\nB,3,4\n", "sample 2023 2024", "2023 > 0", []string{"A 1 2", "B 3 4"}, nil, []string{"header=no"}},
		"comment.csv":   {"# instrument X\n# date 2024\nwl,abs\n400,0.1\n401,0.2\n", "wl abs", "abs < 1", []string{"400 0.1", "401 0.2"}, "# instrument X\n# date 2024", []string{"preamble"}},
		"meta_head.csv": {"Instrument,UV-1800\nDate,2024-05-01\n\nWavelength nm.,Abs.\n400,0.1\n401,0.2\n", "Wavelength nm. Abs.", "Abs. < 1", []string{"400 0.1", "401 0.2"}, "Instrument,UV-1800\nDate,2024-05-01", []string{"preamble"}},
		"semi_dec.csv":  {"sample;conc;temp\nA;1,5;20,1\nB;2,25;21,0\nC;3;22,5\n", "sample conc temp", "conc < 2", []string{"A 1,5 20,1"}, nil, []string{"decimal=."}},
		"missing.csv":   {"sample,conc\nA,NA\nB,1.5\nC,2.5\n", "sample conc", "conc < 2", []string{"B 1.5"}, nil, []string{"NA in conc"}},
		"gbk.csv": {
			"\xc3\xfb\xb3\xc6,\xca\xfd\xd6\xb5\n\xb1\xb1\xbe\xa9\xca\xd0\xba\xa3\xb5\xed\xc7\xf8,1\n\xc9\xcf\xba\xa3\xca\xd0\xc6\xd6\xb6\xab\xd0\xc2\xc7\xf8,2\n",
			"名称 数值", "数值 = 1", []string{"北京市海淀区 1"}, nil, []string{"gb18030"},
		},
		"latin1.csv":  {"name,value\nZ\xfcrich,1\nBesan\xe7on,2\n", "name value", "value = 1", []string{"Zürich 1"}, nil, []string{"windows-1252"}},
		"cr_only.csv": {"id,v\r1,2\r2,3\r", "id v", "v > 0", []string{"1 2", "2 3"}, nil, nil},
		"bool.csv":    {"a,b\nTRUE,yes\nfalse,no\n", "a b", "a = true", []string{"TRUE yes"}, nil, nil},
		"bignum.csv":  {"id\n12345678901234567890\n12345678901234567891\n", "id", "id = 12345678901234567890", []string{"12345678901234567890"}, nil, nil},
	} {
		n := file(t, c, name, "", test.text)
		m, err := c.NodeMetadata(system.Within(t), n.ID, client.Reading{})
		if err != nil {
			t.Fatal(err)
		}
		fields, _ := m["fields"].([]any)
		var columns []string
		for _, f := range fields {
			columns = append(columns, fmt.Sprint(f.(map[string]any)["name"]))
		}
		if got := strings.Join(columns, " "); got != test.columns || m["preamble"] != test.preamble {
			t.Errorf("%s: columns %q and preamble %v, want %q and %v", name, got, m["preamble"], test.columns, test.preamble)
		}
		if preamble, ok := m["preamble"].(string); ok {
			first, _, _ := strings.Cut(preamble, "\n")
			if text := read(t)(c.NodeText(system.Within(t), n.ID, client.Reading{})); !strings.Contains(text, first) {
				t.Errorf("%s: the text for searches is %q, want it to contain the preamble", name, text)
			}
		}
		remarks, _ := m["remarks"].([]any)
		if len(remarks) != len(test.remarks) {
			t.Errorf("%s: remarks %q, want %q", name, remarks, test.remarks)
			continue
		}
		for i, part := range test.remarks {
			if !strings.Contains(fmt.Sprint(remarks[i]), part) {
				t.Errorf("%s: remark %q, want one with %q", name, remarks[i], part)
			}
		}
		var got []string
		for r, err := range c.Records(system.Within(t), n.ID, client.RecordQuery{Filter: test.filter}) {
			if err != nil {
				t.Fatal(err)
			}
			var values []string
			var fields map[string]string
			if err := json.Unmarshal(r.Fields, &fields); err != nil {
				t.Fatal(err)
			}
			for _, column := range columns {
				values = append(values, fields[column])
			}
			got = append(got, strings.Join(values, " "))
		}
		if !reflect.DeepEqual(got, test.want) {
			t.Errorf("%s: %s selects %q, want %q", name, test.filter, got, test.want)
		}
	}
}
