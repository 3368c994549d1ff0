package sheet

import "testing"

func TestOptionsAcceptTheirValuesOnly(t *testing.T) {
	var o Options
	for _, set := range [][2]string{{"header", "no"}, {"delimiter", "tab"}, {"decimal", ","}} {
		if err := o.Set(set[0], set[1]); err != nil {
			t.Errorf("%s=%s: %v", set[0], set[1], err)
		}
	}
	if want := (Options{Header: "no", Delimiter: "\t", Decimal: ","}); o != want {
		t.Errorf("the options are %+v instead of %+v", o, want)
	}
	for _, set := range [][2]string{{"header", "maybe"}, {"delimiter", "/"}, {"decimal", ";"}, {"rows", "2"}} {
		if err := o.Set(set[0], set[1]); err == nil {
			t.Errorf("%s=%s was accepted", set[0], set[1])
		}
	}
}
