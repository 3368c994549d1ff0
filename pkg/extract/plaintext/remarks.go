package plaintext

import (
	"fmt"

	"github.com/assay-project/assay/pkg/extract/charset"
)

// Remarks returns sentences about what was guessed or replaced to decode a text. The charset of a text in UTF-8 is not a
// guess. The option that they name is a statement of the charset, such as the parameter of a content type.
func (o Outcome) Remarks() []string {
	var all []string
	if o.Ignored != "" {
		all = append(all, fmt.Sprintf("The stated charset %s does not fit the text, which was read as %s.", o.Ignored, o.Name))
	}
	switch {
	case o.How == Assumed && o.Rival != "":
		all = append(all, fmt.Sprintf("The charset was guessed: %s, but %s fits about equally; charset=%s selects it.", o.Name, o.Rival, o.Rival))
	case o.Name != charset.UTF8.Name && (o.How == Assumed || o.How == Detected):
		all = append(all, fmt.Sprintf("The charset was guessed: %s; the option charset selects another, as in charset=windows-1252.", o.Name))
	}
	if o.Replaced > 0 {
		all = append(all, fmt.Sprintf("%d places of the text are not in the charset %s and read as U+FFFD; the option charset selects another.", o.Replaced, o.Name))
	}
	return all
}
