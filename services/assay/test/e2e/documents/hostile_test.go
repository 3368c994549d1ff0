package documents

import (
	"archive/zip"
	"bytes"
	"compress/flate"
	"encoding/binary"
	"flag"
	"fmt"
	"hash/crc32"
	"strings"
	"testing"

	"github.com/assay-project/assay/pkg/extract/office/officetest"
	"github.com/assay-project/assay/services/analyzer/library/hostile"
	"github.com/assay-project/assay/services/assay/client"
	"github.com/assay-project/assay/services/assay/test/e2e/system"
)

var (
	hostileSize  = flag.Int("hostile.size", 4<<10, "size of generated hostile documents, in bytes")
	hostileSeed  = flag.Uint64("hostile.seed", 34, "seed of generated hostile documents")
	hostileEvery = flag.Int("hostile.every", 12, "process one in so many of the generated hostile documents")
)

// TestHostileDocuments: each generated hostile document of every format ends in a final state, with a reason that concerns
// the document; memory stays bounded.
func TestHostileDocuments(t *testing.T) {
	s := system.StartServer(t, t.TempDir())
	var all []document
	for i, f := range hostile.Files(*hostileSeed, *hostileSize) {
		if (i+int(*hostileSeed))%*hostileEvery == 0 {
			all = append(all, document{f.Name, func() []byte { return f.Data }})
		}
	}
	ends := map[string]int{}
	for _, o := range process(t, s.System, all) {
		explained(t, o)
		ends[o.node.Status]++
	}
	t.Logf("%d documents: %v", len(all), ends)
	boundedMemory(t, s)
}

// limited returns documents that would exceed resource limits, and their required outcomes.
func limited() []expected {
	const side = 60_000
	made := func(name string, data []byte, status, reason string) expected {
		return expected{document{name, func() []byte { return data }}, status, "", reason}
	}
	const partial = client.LibraryProcessedPartially
	many := make([]officetest.Part, 10_001)
	for i := range many {
		many[i] = officetest.Part{fmt.Sprintf("word/%d.xml", i), ""}
	}
	uses := `<svg xmlns="http://www.w3.org/2000/svg" width="90" height="90"><g id="u0"><rect width="9" height="9"/></g>`
	for i := 1; i < 30; i++ {
		uses += fmt.Sprintf(`<g id="u%d"><use href="#u%d"/><use href="#u%d"/></g>`, i, i-1, i-1)
	}
	return []expected{
		made("bomb.docx", bomb("word/document.xml", "<w:p></w:p>", 300<<20), failed, "inflates to more than"),
		made("bomb.odt", bomb("content.xml", "<text:p>a</text:p>", 300<<20, officetest.Part{"mimetype", "application/vnd.oasis.opendocument.text"}), failed, "inflates to more than"),
		made("parts.docx", officetest.Archive(many...), failed, "the maximum is 10000"),
		made("huge.png", hugePNG(side), failed, "pixels"),
		made("huge.jpg", hugeJPEG(side), failed, "pixels"),
		made("huge.svg", fmt.Appendf(nil, `<svg xmlns="http://www.w3.org/2000/svg" width="%d" height="%d"><rect width="9" height="9"/></svg>`, side, side), good, ""),
		made("uses.svg", []byte(uses+"</svg>"), failed, ""),
		made("deep.html", []byte("<html><body>"+strings.Repeat("<div>", 200_000)+"text"), good, ""),
		made("spans.html", []byte("<html><body>"+strings.Repeat("<span>", 600)+"text"), good, ""),
		made("inline.html", []byte("<html><body>"+strings.Repeat("<b><i><u><p>", 2<<20/12)+"text"), good, ""),
		made("shared.xlsx", officetest.Workbook(strings.Repeat(`<row><c t="s"><v>0</v></c></row>`, 20_000), strings.Repeat("x", 1_000_000)), partial, "repeat too much text"),
		made("truncated.png", hugePNG(10)[:30], failed, ""),
	}
}

// bomb returns an archive with a part that inflates to more than size bytes: one compressed block, repeated.
func bomb(name, content string, size int, parts ...officetest.Part) []byte {
	unit := strings.Repeat(content, 1<<20/len(content))
	var block, out bytes.Buffer
	c, err := flate.NewWriter(&block, flate.BestCompression)
	if err == nil {
		_, err = c.Write([]byte(unit))
	}
	if err == nil {
		err = c.Flush() // flushed to a byte boundary, without the end of the stream
	}
	w := zip.NewWriter(&out)
	for _, p := range append(parts, officetest.Links("", "officeDocument", name)) {
		f, createErr := w.Create(p[0])
		if err == nil && createErr == nil {
			_, err = f.Write([]byte(p[1]))
		}
	}
	times := size/len(unit) + 1
	f, createErr := w.CreateRaw(&zip.FileHeader{
		Name: name, Method: zip.Deflate, CompressedSize64: uint64(times * block.Len()), UncompressedSize64: uint64(times * len(unit)),
	})
	for range times {
		if err == nil && createErr == nil {
			_, err = f.Write(block.Bytes())
		}
	}
	if err != nil || createErr != nil || w.Close() != nil {
		panic("writing to a buffer failed")
	}
	return out.Bytes()
}

// hugePNG returns a square PNG with the given side in pixels and truncated image data.
func hugePNG(side uint32) []byte {
	b := []byte("\x89PNG\r\n\x1a\n")
	chunk := func(kind string, data []byte) {
		b = binary.BigEndian.AppendUint32(b, uint32(len(data)))
		body := append([]byte(kind), data...)
		b = binary.BigEndian.AppendUint32(append(b, body...), crc32.ChecksumIEEE(body))
	}
	header := binary.BigEndian.AppendUint32(binary.BigEndian.AppendUint32(nil, side), side)
	chunk("IHDR", append(header, 8, 2, 0, 0, 0))
	chunk("IDAT", []byte("\x78\x9c\x63\x00\x00\x00\x01\x00\x01"))
	chunk("IEND", nil)
	return b
}

// hugeJPEG returns the beginning of a square JPEG with the given side in pixels.
func hugeJPEG(side uint16) []byte {
	b := []byte("\xff\xd8\xff\xe0\x00\x10JFIF\x00\x01\x01\x00\x00\x01\x00\x01\x00\x00\xff\xc0\x00\x11\x08")
	b = binary.BigEndian.AppendUint16(binary.BigEndian.AppendUint16(b, side), side)
	return append(b, "\x03\x01\x11\x00\x02\x11\x01\x03\x11\x01\xff\xda\x00\x0c\x03\x01\x00\x02\x11\x03\x11\x00\x3f\x00\x00"...)
}
