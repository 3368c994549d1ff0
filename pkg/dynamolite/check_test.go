package dynamolite_test

import (
	"bytes"
	"os"
	"path/filepath"
	"testing"

	"github.com/assay-project/assay/pkg/dynamolite"
)

func TestCheckFindsDamage(t *testing.T) {
	path := prepared(t)
	content := must(os.ReadFile(path))(t)
	for _, damaged := range []bool{false, true} {
		if damaged {
			content[bytes.LastIndex(content, []byte("xxxxxxxx"))] ^= 1
		}
		path := filepath.Join(t.TempDir(), "db")
		if err := os.WriteFile(path, content, 0o600); err != nil {
			t.Fatal(err)
		}
		s := start(t, dynamolite.Options{Path: path, SweepInterval: -1})
		var problems []string
		values, err := s.engine.Check(func(problem string) { problems = append(problems, problem) })
		if values == 0 || damaged != (err != nil || len(problems) > 0) {
			t.Errorf("damaged = %v: got %d values, problems %q, error %v, want some values, and problems or an error only if damaged", damaged, values, problems, err)
		}
	}
}
