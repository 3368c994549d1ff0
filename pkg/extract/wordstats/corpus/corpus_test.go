package corpus

import (
	"crypto/sha256"
	"fmt"
	"testing"
)

// TestTextsAreDeterministic checks that the texts do not change, so that measurements of different
// versions are comparable.
func TestTextsAreDeterministic(t *testing.T) {
	for name, c := range map[string]struct {
		text []byte
		want string
	}{
		"English":      {English(1, 1<<20), "eae65e01f8edeaca2c6f2817add42fa5789c865b26f12fc4f1f2c43b316fd36b"},
		"Multilingual": {Multilingual(2, 1<<20), "ffd239d42f7fcbe7e13c3015c8a5ce3dab678315553cf05f55d71d6620051268"},
		"ManyWords":    {ManyWords(3, 1<<20), "62852b2b20da93adae93e80327964181540432c914fb5c653b7d11837b3b5a25"},
	} {
		if got := fmt.Sprintf("%x", sha256.Sum256(c.text)); got != c.want {
			t.Errorf("%s: got SHA-256 %s, want %s", name, got, c.want)
		}
	}
}
