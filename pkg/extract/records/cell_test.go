package records

import "testing"

// TestCellsAreNotFormulas checks the characters that OWASP lists for CSV injection, and that numbers stay.
func TestCellsAreNotFormulas(t *testing.T) {
	for value, want := range map[string]string{
		"": "", "a": "a", "a=b": "a=b", " =1": " =1", "'=1": "'=1", "C=C": "C=C",
		"-5": "-5", "+5": "+5", "-1.5e-3": "-1.5e-3", "-.5": "-.5", "+1E+300": "+1E+300", "-1e-400": "-1e-400", "-1e999": "-1e999",
		"=1+1": "'=1+1", "+1+1": "'+1+1", "-1+1": "'-1+1", "-": "'-", "--5": "'--5", "@SUM(A1)": "'@SUM(A1)", "-0x1p4": "'-0x1p4", "-Inf": "'-Inf",
		"\t=1": "'\t=1", "\r=1": "'\r=1", "\n=1": "'\n=1", "＝1": "'＝1", "=HYPERLINK(\"http://evil.example\")": "'=HYPERLINK(\"http://evil.example\")",
	} {
		if got := Cell(value); got != want {
			t.Errorf("Cell(%q) = %q, want %q", value, got, want)
		}
	}
}
