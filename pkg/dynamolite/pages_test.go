package dynamolite_test

import (
	"bytes"
	"encoding/binary"
	"errors"
	"flag"
	"fmt"
	"net/http"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/assay-project/assay/pkg/dynamolite"
)

// damageBound limits the time of everything that is done with a damaged file. It only has to be shorter than a hang.
const damageBound = time.Minute

// treeFile returns a closed file with trees of two levels, an index, a stream, overflow pages and free pages.
func treeFile(t *testing.T) (path string, items int) {
	t.Helper()
	path = filepath.Join(t.TempDir(), "db")
	engine := must(dynamolite.Open(dynamolite.Options{Path: path, SweepInterval: -1}))(t)
	request := func(operation, body string) {
		t.Helper()
		if answer := responseTo(engine, operation, body); answer.Code != http.StatusOK {
			t.Fatalf("%s: %s", operation, answer.Body)
		}
	}
	request("CreateTable", `{"TableName":"tree","BillingMode":"PAY_PER_REQUEST","KeySchema":[{"AttributeName":"pk","KeyType":"HASH"}],`+
		`"AttributeDefinitions":[{"AttributeName":"pk","AttributeType":"S"},{"AttributeName":"kind","AttributeType":"S"}],`+
		`"StreamSpecification":{"StreamEnabled":true,"StreamViewType":"KEYS_ONLY"},`+
		`"GlobalSecondaryIndexes":[{"IndexName":"kinds","KeySchema":[{"AttributeName":"kind","KeyType":"HASH"}],"Projection":{"ProjectionType":"ALL"}}]}`)
	const small, large, removed = 400, 4, 40
	put := func(i, size int) {
		request("PutItem", fmt.Sprintf(`{"TableName":"tree","Item":{"pk":{"S":"%04d"},"kind":{"S":"k"},"text":{"S":%q}}}`, i, strings.Repeat("x", size)))
	}
	for i := range small {
		put(i, 100)
	}
	for i := range large {
		put(small+i, 20_000)
	}
	for i := range removed {
		request("DeleteItem", fmt.Sprintf(`{"TableName":"tree","Key":{"pk":{"S":"%04d"}}}`, i))
	}
	if err := engine.Close(); err != nil {
		t.Fatal(err)
	}
	return path, small + large - removed
}

// pageKinds returns the first, a middle and the last page of each kind.
func pageKinds(content []byte) map[string][]int {
	size, all := os.Getpagesize(), map[string][]int{}
	for page := 2; page < len(content)/size; page++ {
		header := content[page*size:]
		kind := map[uint16]string{1: "branch", 2: "leaf"}[binary.NativeEndian.Uint16(header[8:])]
		if kind == "" || binary.NativeEndian.Uint64(header) != uint64(page) {
			continue
		}
		all[kind] = append(all[kind], page)
		if over := int(binary.NativeEndian.Uint32(header[12:])); over > 0 {
			all["overflow of "+kind] = append(all["overflow of "+kind], page)
			page += over
		}
	}
	for kind, pages := range all {
		all[kind] = []int{pages[0], pages[len(pages)/2], pages[len(pages)-1]}
	}
	return all
}

// pageDamages are changes to a page. other is another page.
var pageDamages = map[string]func(page, other []byte){
	"number":         func(p, _ []byte) { p[0] ^= 1 },
	"type":           func(p, _ []byte) { p[8] ^= 3 },
	"no type":        func(p, _ []byte) { p[8] = 0 },
	"fewer elements": func(p, _ []byte) { p[10] ^= 1 },
	"more elements":  func(p, _ []byte) { p[11] ^= 0x40 },
	"overflow":       func(p, _ []byte) { p[12] ^= 1 },
	"huge overflow":  func(p, _ []byte) { p[15] ^= 0x80 },
	"first element":  func(p, _ []byte) { p[16+4] ^= 1 },
	"position":       func(p, _ []byte) { p[16+16+7] ^= 0x40 },
	"size":           func(p, _ []byte) { p[16+16+8] ^= 8 },
	"circle":         func(p, _ []byte) { copy(p[16+8:], p[:8]) },
	"data":           func(p, _ []byte) { p[len(p)*3/4] ^= 1 },
	"zeros":          func(p, _ []byte) { clear(p) },
	"ones":           func(p, _ []byte) { copy(p, bytes.Repeat([]byte{0xff}, len(p))) },
	"other page":     func(p, other []byte) { copy(p, other) },
}

var allPages = flag.Bool("damage.all", false, "damage the first, a middle and the last page of each kind in every way, in a closed file and before writes")

// damagedPage is a page with damage.
type damagedPage struct {
	name    string
	at      int64
	content []byte
}

func damagedPages(content []byte) (all []damagedPage) {
	size := os.Getpagesize()
	for kind, pages := range pageKinds(content) {
		for _, page := range pages {
			for name, damage := range pageDamages {
				changed := bytes.Clone(content[page*size : (page+1)*size])
				damage(changed, content[2*size:3*size])
				all = append(all, damagedPage{fmt.Sprintf("%s of page %d (%s)", name, page, kind), int64(page * size), changed})
			}
		}
	}
	return all
}

// eachSampled calls f with a sample of the damaged pages of a file, and the path of a file to create.
func eachSampled(t *testing.T, content []byte, f func(page damagedPage, path string)) {
	t.Helper()
	for n, page := range damagedPages(content) {
		if *allPages || n%9 == 0 {
			within(t, page.name, func() { f(page, filepath.Join(t.TempDir(), "db")) })
		}
	}
}

// reads are requests with parts of their right responses.
func reads(items int) []treeRequest {
	count := fmt.Sprintf(`"Count":%d,`, items)
	return []treeRequest{
		{"Scan", `{"TableName":"tree","Select":"COUNT"}`, count},
		{"Query", `{"TableName":"tree","IndexName":"kinds","KeyConditionExpression":"kind = :k","ExpressionAttributeValues":{":k":{"S":"k"}},"Select":"COUNT"}`, count},
		{"Query", `{"TableName":"tree","IndexName":"kinds","KeyConditionExpression":"kind = :k","ExpressionAttributeValues":{":k":{"S":"k"}},"Select":"COUNT","ScanIndexForward":false}`, count},
		{"GetItem", `{"TableName":"tree","Key":{"pk":{"S":"0050"}}}`, `"0050"`},
		{"GetItem", `{"TableName":"tree","Key":{"pk":{"S":"0402"}}}`, `"0402"`},
		{"GetItem", `{"TableName":"tree","Key":{"pk":{"S":"9"}}}`, `{}`},
	}
}

// writes are requests with parts of their right responses.
func writes() []treeRequest {
	return []treeRequest{
		{"PutItem", `{"TableName":"tree","Item":{"pk":{"S":"0050"},"kind":{"S":"k"}}}`, "{}"},
		{"PutItem", `{"TableName":"tree","Item":{"pk":{"S":"0399"},"kind":{"S":"k"}}}`, "{}"},
		{"DeleteItem", `{"TableName":"tree","Key":{"pk":{"S":"0200"}}}`, "{}"},
		{"DeleteItem", `{"TableName":"tree","Key":{"pk":{"S":"0401"}}}`, "{}"},
		{"Scan", `{"TableName":"tree","Select":"COUNT"}`, `"Count":`},
	}
}

type treeRequest struct{ operation, body, want string }

// failed sends requests, and reports whether one has failed with an error. Any other response than the right
// one fails the test.
func failed(t *testing.T, engine *dynamolite.Engine, what string, requests []treeRequest) (found bool) {
	t.Helper()
	for _, request := range requests {
		answer := responseTo(engine, request.operation, request.body)
		switch {
		case answer.Code == http.StatusInternalServerError && strings.Contains(answer.Body.String(), "The data is damaged; restore a backup"):
			found = true
		case answer.Code != http.StatusOK || !strings.Contains(answer.Body.String(), request.want):
			t.Errorf("%s: %s %s: got %d %.200s, want %s or an error", what, request.operation, request.body, answer.Code, answer.Body, request.want)
		}
	}
	return found
}

func overwrite(t *testing.T, path string, at int64, content []byte) {
	t.Helper()
	file, err := os.OpenFile(path, os.O_WRONLY, 0)
	if err == nil {
		_, err = file.WriteAt(content, at)
		err = errors.Join(err, file.Close())
	}
	if err != nil {
		t.Error(err)
	}
}

// TestReadOfDamagedPageIsAnError damages pages of an open file: each read returns the right items or an error.
func TestReadOfDamagedPageIsAnError(t *testing.T) {
	path, items := treeFile(t)
	content := must(os.ReadFile(path))(t)
	engine := must(dynamolite.Open(dynamolite.Options{Path: path, SweepInterval: -1}))(t)
	size, detected := int64(os.Getpagesize()), 0
	for _, page := range damagedPages(content) {
		within(t, page.name, func() {
			overwrite(t, path, page.at, page.content)
			if failed(t, engine, page.name, reads(items)) {
				detected++
			}
			overwrite(t, path, page.at, content[page.at:page.at+size])
		})
	}
	if failed(t, engine, "undamaged file", reads(items)) || detected == 0 || engine.Damage() == nil {
		t.Errorf("detected %d damages, and then %v, want some, and no error of the undamaged file", detected, engine.Damage())
	}
	if err := engine.Close(); err != nil {
		t.Error(err)
	}
}

// TestWriteToDamagedPageIsAnError damages pages of an open file before writes, which succeed or fail with an
// error.
func TestWriteToDamagedPageIsAnError(t *testing.T) {
	source, items := treeFile(t)
	content := must(os.ReadFile(source))(t)
	detected := 0
	eachSampled(t, content, func(page damagedPage, path string) {
		if err := os.WriteFile(path, content, 0o600); err != nil {
			t.Error(err)
			return
		}
		engine, err := dynamolite.Open(dynamolite.Options{Path: path, SweepInterval: -1})
		if err != nil {
			t.Error(err)
			return
		}
		overwrite(t, path, page.at, page.content)
		found := failed(t, engine, page.name, append(writes(), reads(items)[3:]...))
		if found {
			detected++
		}
		if err := engine.Close(); err != nil && !found {
			t.Errorf("%s: close: %v", page.name, err)
		}
	})
	if detected == 0 {
		t.Error("no damage was detected, want some")
	}
}

// TestOpenOfDamagedPageIsAnError damages pages of a closed file: Open fails, or each read returns the right items or an
// error.
func TestOpenOfDamagedPageIsAnError(t *testing.T) {
	source, items := treeFile(t)
	content := must(os.ReadFile(source))(t)
	detected := 0
	eachSampled(t, content, func(page damagedPage, path string) {
		changed := bytes.Clone(content)
		copy(changed[page.at:], page.content)
		if err := os.WriteFile(path, changed, 0o600); err != nil {
			t.Error(err)
			return
		}
		engine, err := dynamolite.Open(dynamolite.Options{Path: path, SweepInterval: -1})
		if err != nil {
			detected++
			if !errors.Is(err, dynamolite.ErrDamaged) {
				t.Errorf("%s: got error %v, want %v", page.name, err, dynamolite.ErrDamaged)
			}
			return
		}
		failed(t, engine, page.name, reads(items))
		if err := engine.Close(); err != nil {
			t.Errorf("%s: close: %v", page.name, err)
		}
	})
	if detected == 0 {
		t.Error("no damage was detected, want some")
	}
}

// within fails the test if f takes too long.
func within(t *testing.T, what string, f func()) {
	t.Helper()
	done := make(chan struct{})
	go func() {
		defer close(done)
		f()
	}()
	select {
	case <-done:
	case <-time.After(damageBound):
		t.Fatalf("%s: not finished after %s", what, damageBound)
	}
}
