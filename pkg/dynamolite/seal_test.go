package dynamolite_test

import (
	"bytes"
	"errors"
	"fmt"
	"math/rand/v2"
	"net/http"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/assay-project/assay/pkg/dynamolite"
)

const sealedItems = 60

// sealedFile returns the content of a closed file whose items fill several pages.
func sealedFile(t *testing.T) []byte {
	t.Helper()
	path := filepath.Join(t.TempDir(), "db")
	engine, err := dynamolite.Open(dynamolite.Options{Path: path})
	if err != nil {
		t.Fatal(err)
	}
	do := func(operation, body string) {
		if response := responseTo(engine, operation, body); response.Code != http.StatusOK {
			t.Fatalf("%s: %s", operation, response.Body)
		}
	}
	do("CreateTable", `{"TableName":"seal","BillingMode":"PAY_PER_REQUEST","AttributeDefinitions":[{"AttributeName":"id","AttributeType":"S"}],"KeySchema":[{"AttributeName":"id","KeyType":"HASH"}]}`)
	for i := range sealedItems {
		do("PutItem", fmt.Sprintf(`{"TableName":"seal","Item":{"id":{"S":"%d"},"text":{"S":"%s"}}}`, i, strings.Repeat("x", 200+i)))
	}
	if err := engine.Close(); err != nil {
		t.Fatal(err)
	}
	return must(os.ReadFile(path))(t)
}

func TestFlippedBitInTheDatabaseCausesNoWrongResponse(t *testing.T) {
	content := sealedFile(t)
	random := rand.New(rand.NewPCG(5, 6))
	path := filepath.Join(t.TempDir(), "db")
	check := func(damaged []byte, what string) (failed bool) {
		t.Helper()
		if err := os.WriteFile(path, damaged, 0o600); err != nil {
			t.Fatal(err)
		}
		failed = wrongResponses(t, path, what)
		if err := os.Remove(path + ".journal"); err != nil && !errors.Is(err, os.ErrNotExist) {
			t.Fatal(err)
		}
		return failed
	}
	for range 40 {
		bit := random.IntN(8 * len(content))
		damaged := bytes.Clone(content)
		damaged[bit/8] ^= 1 << (bit % 8)
		check(damaged, fmt.Sprintf("bit %d of byte %d", bit%8, bit/8))
	}
	// Most of the file can be free pages, so the test also damages every copy of one text.
	text := []byte(strings.Repeat("x", 200))
	flipped := bytes.ReplaceAll(content, text, append([]byte("y"), text[1:]...))
	if bytes.Equal(flipped, content) || !check(flipped, "every copy of a text") {
		t.Error("damage in every copy of a text: got no error, want one")
	}
}

// wrongResponses reads all items and reports responses that are neither correct nor an error. It
// returns whether there was an error.
func wrongResponses(t *testing.T, path, what string) (failed bool) {
	t.Helper()
	engine, err := dynamolite.Open(dynamolite.Options{Path: path, Sync: dynamolite.SyncNever, SweepInterval: -1})
	if err != nil {
		return true
	}
	for i := range sealedItems {
		response := responseTo(engine, "GetItem", fmt.Sprintf(`{"TableName":"seal","Key":{"id":{"S":"%d"}}}`, i))
		if response.Code == http.StatusInternalServerError {
			failed = true
		} else if want := fmt.Sprintf(`"text":{"S":"%s"}`, strings.Repeat("x", 200+i)); !strings.Contains(response.Body.String(), want) {
			t.Errorf("%s: item %d: got status %d %s, want it to contain %q", what, i, response.Code, response.Body, want)
		}
	}
	response := responseTo(engine, "Scan", `{"TableName":"seal"}`)
	if response.Code == http.StatusInternalServerError {
		failed = true
	} else if !strings.Contains(response.Body.String(), fmt.Sprintf(`"Count":%d,`, sealedItems)) {
		t.Errorf("%s: Scan returned %.200s, want %d items or an InternalServerError", what, response.Body, sealedItems)
	}
	if err := engine.Close(); err != nil && !failed {
		t.Errorf("%s: close: %v", what, err)
	}
	return failed
}
