package library

import (
	"strings"
	"testing"

	"github.com/assay-project/assay/services/assay/client"
	"github.com/assay-project/assay/services/assay/test/e2e/system"
)

// qualifiedValuesAreKept: values of an SDF that begin with ">" are values, also after an export, and the content of a record has
// the bytes of the file. RDKit 2022.09.3 and Open Babel 3.1.1 read the same values.
func qualifiedValuesAreKept(t *testing.T, s system.System) {
	c := s.Client(t, system.NewOwner())
	record := func(i int, value string) string {
		block, _, _ := strings.Cut(molecule("m", float64(i)), ">")
		return block + ">  <IC50_uM>  (" + string(rune('1'+i)) + ") \n" + value + "\n\n>  <Target>\nX \n\n$$$$\n"
	}
	values := []string{"12", ">100", "<5", "~3", "> 5\n>1000\n~"}
	text := ""
	for i, value := range values {
		text += record(i, value)
	}
	want := `{"index":0,"name":"m","values":{"IC50_uM":"12","Target":"X"}}
{"index":1,"name":"m","values":{"IC50_uM":">100","Target":"X"}}
{"index":2,"name":"m","values":{"IC50_uM":"<5","Target":"X"}}
{"index":3,"name":"m","values":{"IC50_uM":"~3","Target":"X"}}
{"index":4,"name":"m","values":{"IC50_uM":"> 5\n>1000\n~","Target":"X"}}
`
	for round := range 3 {
		n := file(t, c, "qualifiers.sdf", "", text)
		if got := read(t)(c.ExportRecords(system.Within(t), n.ID, client.Export{Format: "jsonl", Fields: "IC50_uM,Target"})); got != want {
			t.Errorf("round %d: got the values %s, want %s", round, got, want)
		}
		filtered := read(t)(c.ExportRecords(system.Within(t), n.ID, client.Export{Format: "jsonl", Fields: "Target", Filter: `IC50_uM=">100"`}))
		if filtered != `{"index":1,"name":"m","values":{"Target":"X"}}`+"\n" {
			t.Errorf("round %d: the filter selects %s, want record 1", round, filtered)
		}
		if round == 0 {
			for i, value := range values {
				if got := read(t)(c.RecordContent(system.Within(t), n.ID, i)); got != record(i, value) {
					t.Errorf("the content of record %d is %q, want %q", i, got, record(i, value))
				}
			}
		}
		text = read(t)(c.ExportRecords(system.Within(t), n.ID, client.Export{Format: "sdf", Fields: "IC50_uM,Target"}))
	}
}

// valuesAreDecoded: the charset of records is detected as that of tables. The bytes are those of "产地", "北京市海淀区" and
// "上海市浦东新区" in GBK, as iconv encodes them.
func valuesAreDecoded(t *testing.T, s system.System) {
	c := s.Client(t, system.NewOwner())
	block, _, _ := strings.Cut(molecule("m", 0), ">")
	origin, haidian, pudong := "\xb2\xfa\xb5\xd8", "\xb1\xb1\xbe\xa9\xca\xd0\xba\xa3\xb5\xed\xc7\xf8", "\xc9\xcf\xba\xa3\xca\xd0\xc6\xd6\xb6\xab\xd0\xc2\xc7\xf8"
	n := file(t, c, "origins.sdf", "", block+"> <"+origin+">\n"+haidian+"\n\n$$$$\n"+block+"> <"+origin+">\n"+pudong+"\n\n$$$$\n")
	selected := read(t)(c.ExportRecords(system.Within(t), n.ID, client.Export{Format: "jsonl", Fields: "产地", Filter: `产地 ~ "浦东"`}))
	if want := `{"index":1,"name":"m","values":{"产地":"上海市浦东新区"}}` + "\n"; selected != want {
		t.Errorf("got %s, want %s", selected, want)
	}
	m, err := c.NodeMetadata(system.Within(t), n.ID, client.Reading{})
	if err != nil {
		t.Fatal(err)
	}
	if remarks, _ := m["remarks"].([]any); m["charset"] != "gb18030" || len(remarks) != 1 || !strings.Contains(remarks[0].(string), "gb18030") {
		t.Errorf("charset %v and remarks %v, want gb18030 and one remark", m["charset"], remarks)
	}
}
