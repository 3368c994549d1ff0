package release

import (
	"bytes"
	_ "embed"
	"strings"
	"text/template"
)

//go:embed assay.rb.tmpl
var formulaText string

// download is an archive, as the formula contains it.
type download struct{ URL, SHA256 string }

// formula returns the Homebrew formula. sums are the SHA-256 sums of the files in hexadecimal.
func formula(version, url string, sums map[string]string) ([]byte, error) {
	parsed, err := template.New("formula").Option("missingkey=error").Parse(formulaText)
	if err != nil {
		return nil, err
	}
	downloads := map[string]download{}
	for _, t := range Targets {
		if name := t.archive(version); t.OS != "windows" {
			downloads[t.OS+"_"+t.Arch] = download{url + "/" + name, sums[name]}
		}
	}
	var out bytes.Buffer
	err = parsed.Execute(&out, map[string]any{"Version": strings.TrimPrefix(version, "v"), "Homepage": Repository, "Downloads": downloads})
	return out.Bytes(), err
}
