package uploads

import (
	"errors"
	"io"
	"net/http"
	"net/http/httptest"
	"strings"
	"sync"
	"testing"

	"github.com/assay-project/assay/services/assay/client"
	"github.com/assay-project/assay/services/assay/test/e2e/system"
)

// looseWire is a proxy in front of the bucket that forwards only half of every third range and then closes the
// connection.
type looseWire struct {
	mu     sync.Mutex
	ranges map[string][]*http.Request // by object key
	whole  map[string]int             // number of requests without a range, by object key
	seen   int
}

func startLooseWire(t *testing.T, s system.System) (*looseWire, string) {
	t.Helper()
	w := &looseWire{ranges: map[string][]*http.Request{}, whole: map[string]int{}}
	through := system.Forward(t, s.S3)
	through.ModifyResponse = func(r *http.Response) error {
		key := strings.TrimPrefix(r.Request.URL.Path, "/"+s.Bucket+"/")
		w.mu.Lock()
		defer w.mu.Unlock()
		switch {
		case r.Request.Method != http.MethodGet:
		case r.Request.Header.Get("Range") == "":
			w.whole[key]++
		default:
			w.ranges[key] = append(w.ranges[key], r.Request)
			if w.seen++; w.seen%3 == 0 {
				r.Body = cutBody{io.LimitReader(r.Body, r.ContentLength/2), r.Body}
			}
		}
		return nil
	}
	server := httptest.NewServer(through)
	t.Cleanup(server.Close)
	return w, server.URL
}

type cutBody struct {
	io.Reader
	io.Closer
}

var errCut = errors.New("the test closed the connection halfway")

func (c cutBody) Read(b []byte) (int, error) {
	n, err := c.Reader.Read(b)
	if errors.Is(err, io.EOF) {
		err = errCut
	}
	return n, err
}

// TestLargeFilesAreSharedByReaders: several readers that count ranges over failing connections have the same result as
// one reader, in every charset.
func TestLargeFilesAreSharedByReaders(t *testing.T) {
	t.Parallel()
	c := system.StartCluster(t)
	wire, url := startLooseWire(t, c.System)
	c.Front(t, c.Service(t, "ingest"), c.Service(t, "query"))
	c.Service(t, "analyzer", "ASSAY_S3_ENDPOINT="+url, "ASSAY_READERS=3", "ASSAY_RANGE_SIZE=65536", "ASSAY_VOCABULARY=1048576")
	api := c.Client(t, system.NewOwner())

	mixed := system.RandomText(5, 60_000)
	plain := strings.Repeat("The quick brown fox jumps over 2 lazy dogs\r\nand judges.\r\n", 4_000)
	latin := strings.NewReplacer("ö", "\xF6", "ß", "\xDF")
	for name, text := range map[string]struct {
		stored, text string
		shared       bool
	}{
		"mixed.txt":      {mixed, mixed, true},
		"mark.txt":       {"\uFEFF" + mixed, mixed, true},
		"ascii.txt":      {plain, plain, true},
		"long.txt":       {plain + strings.Repeat("x", 300_000) + " " + plain, plain + strings.Repeat("x", 300_000) + " " + plain, true},
		"joined.txt":     {plain + strings.Repeat("👩\u200D👩\u200D👧 family ", 10_000), plain + strings.Repeat("family ", 10_000), true},
		"latin.txt":      {latin.Replace(strings.Repeat("Größe ", 40_000)), strings.Repeat("Größe ", 40_000), false},
		"once-utf-8.txt": {"Gr\xC3\xB6 " + plain + latin.Replace("Größe ") + plain, "GrÃ¶ " + plain + "Größe " + plain, false},
		"late-latin.txt": {plain + latin.Replace("Größe ") + plain, plain + "Größe " + plain, false},
	} {
		t.Run(name, func(t *testing.T) {
			file := system.UploadPresigned(t, api, name, "text/plain", []byte(text.stored))
			system.CheckResult(t, system.Await(t, api, file.FileID), system.Count(text.text))
			key := system.Attribute(t, c.Meta(t, file.FileID), "s3Key")
			wire.mu.Lock()
			defer wire.mu.Unlock()
			ranges, whole := wire.ranges[key], wire.whole[key]
			if len(ranges) == 0 || text.shared != (whole == 0) || text.shared && len(ranges) < 1+len(text.stored)>>16 {
				t.Errorf("got %d ranges and %d complete reads of %d bytes, want shared = %t", len(ranges), whole, len(text.stored), text.shared)
			}
			for _, r := range ranges {
				if r.Header.Get("If-Match") == "" {
					t.Errorf("the request for the range %s has no If-Match header, want one", r.Header.Get("Range"))
				}
			}
		})
	}
}

// TestVocabularyLimitIsReported: a text with too many distinct words becomes FAILED, and the error names the variable
// that sets the limit, for any number of readers.
func TestVocabularyLimitIsReported(t *testing.T) {
	t.Parallel()
	c := system.StartCluster(t)
	c.Front(t, c.Service(t, "ingest"), c.Service(t, "query"))
	c.Service(t, "analyzer", "ASSAY_VOCABULARY=100000", "ASSAY_RANGE_SIZE=65536")
	api := c.Client(t, system.NewOwner())
	var words strings.Builder
	for _, first := range system.Vocabulary {
		for _, second := range system.Vocabulary {
			words.WriteString(first + second + " ")
		}
	}
	small := words.String()
	const says = "too many distinct words: with 64 bytes of overhead each, they take more than 100000 bytes (ASSAY_VOCABULARY)"
	for name, text := range map[string]string{"small": small, "large": strings.Repeat(system.RandomText(6, 1_000), 20) + small} {
		file := system.Await(t, api, system.UploadPresigned(t, api, name, "text/plain", []byte(text)).FileID)
		if file.Status != client.Failed || !strings.Contains(file.ErrorMessage, says) {
			t.Errorf("%s, %d bytes: got %s, want FAILED with %q", name, len(text), system.JSON(file), says)
		}
	}
	text := system.RandomText(7, 50_000)
	system.CheckResult(t, system.Await(t, api, system.UploadPresigned(t, api, "few", "text/plain", []byte(text)).FileID), system.Count(text))
}
