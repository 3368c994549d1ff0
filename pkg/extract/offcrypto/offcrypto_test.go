package offcrypto_test

import (
	"bytes"
	"errors"
	"os"
	"path/filepath"
	"testing"

	"github.com/assay-project/assay/pkg/extract/offcrypto"
	"github.com/assay-project/assay/pkg/extract/office/officetest"
)

func decrypt(t *testing.T, path string) ([]byte, error) {
	t.Helper()
	data, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	return offcrypto.Decrypt(bytes.NewReader(data), int64(len(data)))
}

func TestDefaultPassword(t *testing.T) {
	content, err := decrypt(t, "testdata/default-password.xlsx")
	if err != nil || !bytes.HasPrefix(content, []byte("PK\x03\x04")) {
		t.Errorf("got %q, error %v, want a zip archive", content[:min(4, len(content))], err)
	}
}

// TestPublicDocuments decrypts documents of Apache POI: with the default password, with others, and not encrypted.
func TestPublicDocuments(t *testing.T) {
	dir := os.Getenv("ASSAY_POI")
	if dir == "" {
		t.Skip("ASSAY_POI does not name the folder test-data/spreadsheet of Apache POI")
	}
	for name, want := range map[string]error{"58616.xlsx": nil, "protected_passtika.xlsx": offcrypto.ErrPassword, "password.xls": offcrypto.ErrNotEncrypted} {
		if _, err := decrypt(t, filepath.Join(dir, name)); !errors.Is(err, want) {
			t.Errorf("%s: got error %v, want %v", name, err, want)
		}
	}
}

func TestDamaged(t *testing.T) {
	data, err := os.ReadFile("testdata/default-password.xlsx")
	if err != nil {
		t.Fatal(err)
	}
	for at := 0; at < len(data); at += 7 { // no change causes a panic
		changed := bytes.Clone(data)
		changed[at] ^= 0xff
		if _, err := offcrypto.Decrypt(bytes.NewReader(changed[:max(at, len(data)/2)]), int64(max(at, len(data)/2))); err != nil && err.Error() == "" {
			t.Errorf("byte %d: got an error without a text", at)
		}
	}
	for name, parts := range map[string][]officetest.Part{
		"no description": {{"EncryptedPackage", "12345678"}}, "short": {{"EncryptionInfo", "\x04\x00\x04\x00"}, {"EncryptedPackage", "1"}},
		"no XML":       {{"EncryptionInfo", "\x04\x00\x04\x00\x40\x00\x00\x00<a"}, {"EncryptedPackage", "1234567890"}},
		"short header": {{"EncryptionInfo", "\x04\x00\x02\x00\x24\x00\x00\x00\xff\xff\xff\xff"}, {"EncryptedPackage", "1234567890"}},
	} {
		data := officetest.Compound(parts...)
		if _, err := offcrypto.Decrypt(bytes.NewReader(data), int64(len(data))); !errors.Is(err, offcrypto.ErrNotEncrypted) {
			t.Errorf("%s: got error %v, want ErrNotEncrypted", name, err)
		}
	}
}
