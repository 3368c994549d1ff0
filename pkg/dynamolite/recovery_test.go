package dynamolite

import (
	"errors"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"reflect"
	"strings"
	"testing"
)

// writeJournal returns the journal of an open engine with some commits in it.
func writeJournal(t *testing.T, commits int) []byte {
	t.Helper()
	path := filepath.Join(t.TempDir(), "db")
	engine, err := Open(Options{Path: path})
	if err != nil {
		t.Fatal(err)
	}
	defer func() {
		if err := engine.Close(); err != nil {
			t.Error(err)
		}
	}()
	call := func(operation, body string) {
		r := httptest.NewRequest(http.MethodPost, "http://localhost/", strings.NewReader(body))
		r.Header.Set("X-Amz-Target", "DynamoDB_20120810."+operation)
		response := httptest.NewRecorder()
		if engine.ServeHTTP(response, r); response.Code != http.StatusOK {
			t.Fatal(response.Body)
		}
	}
	call("CreateTable", `{"TableName":"flip","BillingMode":"PAY_PER_REQUEST","AttributeDefinitions":[{"AttributeName":"id","AttributeType":"S"}],"KeySchema":[{"AttributeName":"id","KeyType":"HASH"}]}`)
	for range commits {
		call("PutItem", `{"TableName":"flip","Item":{"id":{"S":"a"},"text":{"S":"`+strings.Repeat("x", commits)+`"}}}`)
		commits++
	}
	content, err := os.ReadFile(path + ".journal")
	if err != nil {
		t.Fatal(err)
	}
	return content
}

func TestParserFindsEveryFlippedBit(t *testing.T) {
	const commits = 6
	content := writeJournal(t, commits)
	want, err := parseJournal("journal", content)
	if err != nil || want.Commits != commits || want.Incomplete != 0 {
		t.Fatalf("undamaged: got %+v, error %v, want %d commits", want.Recovery, err, commits)
	}
	end := recordsStart
	for _, operations := range want.records {
		end += recordHeader + len(operations)
	}
	for byteAt := range end + 2*recordHeader {
		if byteAt%headerCopy > headerSize && byteAt < recordsStart {
			continue // unused bytes after a header
		}
		for bit := range 8 {
			content[byteAt] ^= 1 << bit
			got, err := parseJournal("journal", content)
			content[byteAt] ^= 1 << bit
			damage, found := errors.AsType[*CorruptError](err)
			switch inRecord := byteAt >= recordsStart && byteAt < end; {
			case inRecord && (!found || !damage.Repairable || damage.Offset > int64(byteAt) || damage.Later != commits-1-got.Commits):
				t.Fatalf("bit %d of byte %d, in a record: got %+v, error %v, want a repairable CorruptError", bit, byteAt, got.Recovery, err)
			case !inRecord && (err != nil || !reflect.DeepEqual(got.records, want.records) || got.header != want.header):
				t.Fatalf("bit %d of byte %d, outside records: got %+v, error %v, want %+v as without the flip", bit, byteAt, got.Recovery, err, want.Recovery)
			}
		}
	}
}
