// Package corpus lists public documents, which tests and benchmarks read from a folder, and compares their texts with the
// output of other programs.
//
// The documents are not part of the repository. The manifest contains the address and the SHA-256 digest of each.
// Command collect copies the documents that it finds into a folder.
package corpus

import (
	"bufio"
	"bytes"
	"crypto/sha256"
	_ "embed"
	"encoding/hex"
	"errors"
	"fmt"
	"os"
	"path"
	"path/filepath"
	"strings"
)

// Dir is the environment variable that names the folder of the documents.
const Dir = "ASSAY_CORPUS"

//go:embed manifest.tsv
var manifest []byte

// Document is an entry of the manifest.
type Document struct {
	SHA256 string // hex
	// Address is where the document is published: a URL, or deb:PACKAGE/PATH for a file in a package of Debian 12.
	Address string
}

// Name returns the name of the document in the folder.
func (d Document) Name() string { return d.SHA256[:12] + "-" + path.Base(d.Address) }

// Ending returns the extension of the name, in lower case and without the dot.
func (d Document) Ending() string {
	return strings.ToLower(strings.TrimPrefix(path.Ext(d.Address), "."))
}

// All returns the documents in the order of the manifest.
func All() ([]Document, error) {
	var all []Document
	base := ""
	lines := bufio.NewScanner(bytes.NewReader(manifest))
	for lines.Scan() {
		sum, name, ok := strings.Cut(lines.Text(), "\t")
		switch {
		case strings.HasPrefix(lines.Text(), "#"):
		case !ok:
			return nil, fmt.Errorf("manifest: the line %q contains no tab", lines.Text())
		case sum == "base":
			base = name
		case len(sum) != 2*sha256.Size:
			return nil, fmt.Errorf("manifest: %q is not a SHA-256 digest", sum)
		default:
			all = append(all, Document{sum, base + name})
		}
	}
	return all, lines.Err()
}

// In returns the documents in a folder, after checking their SHA-256 digests, and the number of missing ones. It
// returns an error if the folder contains none of them.
func In(dir string) (found []Document, missing int, err error) {
	all, err := All()
	if err != nil {
		return nil, 0, err
	}
	for _, d := range all {
		switch data, err := os.ReadFile(filepath.Join(dir, d.Name())); {
		case errors.Is(err, os.ErrNotExist):
			missing++
		case err != nil:
			return nil, 0, err
		case Sum(data) != d.SHA256:
			return nil, 0, fmt.Errorf("%s does not match the SHA-256 digest in the manifest", d.Name())
		default:
			found = append(found, d)
		}
	}
	if len(found) == 0 {
		return nil, missing, fmt.Errorf("%s contains no document of the manifest", dir)
	}
	return found, missing, nil
}

// Sum returns the SHA-256 digest of a document in hex.
func Sum(data []byte) string {
	sum := sha256.Sum256(data)
	return hex.EncodeToString(sum[:])
}
