package library

import (
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"slices"
	"strconv"
	"strings"

	"github.com/assay-project/assay/pkg/blob"
)

// ObjectPrefix is the prefix of the keys of all library objects:
//
//	library/<shard>/<fileId>/upload-<fingerprint>   as uploaded
//	library/<shard>/<fileId>/r<run>/<name>          a result of a step of a run
//
// The shard is that of blob.Key.
const ObjectPrefix = "library/"

const uploadName = "upload-"

// TextName is the name of the result that contains the text of a file, in UTF-8, compressed with gzip.
const TextName = "text.gz"

// MaxText is the maximum size of the text of a document or a text file, in bytes. The text of records is smaller.
const MaxText = 100 << 20

// ReaderName is the name of the result that contains the article of a web page, or all of the page, as safe HTML.
const ReaderName = "reader.html"

// MetadataPageType is the entry of the metadata that says what the form feeds in the text of a file separate: PageSlide or PageSheet, or
// pages if it is absent. A sheet begins with a line with its name.
const (
	MetadataPageType = "pageType"
	PageSlide        = "slide"
	PageSheet        = "sheet"
)

// NumbersName is the name of the result that contains the long numbers of a file that its text abbreviates, each on a line, and a form
// feed between sheets, compressed with gzip. They are only searched. The entry MetadataNumbers of the metadata is their count.
const (
	NumbersName     = "numbers.gz"
	MetadataNumbers = "longNumbers"
)

// ErrForeignKey means that an object key does not belong to a library file.
var ErrForeignKey = errors.New("not an object of the library")

// UploadKey returns the key under which the bytes of a file are uploaded. Different reservations of one id have
// different keys. Presigned URLs show the key to everyone who may read the file, so it does not depend on the owner, nor
// on the id of the owner's root.
func (r NewFile) UploadKey() string {
	parent := r.ParentID
	if parent == RootID(r.Owner) {
		parent = ""
	}
	return r.uploadKey(parent)
}

// ReservedAs reports whether key is the UploadKey of the file, or the one of earlier versions, which contained the owner.
func (r NewFile) ReservedAs(key string) bool {
	return key == r.UploadKey() || key == r.uploadKey(r.Owner, r.ParentID)
}

func (r NewFile) uploadKey(place ...string) string {
	terms := slices.Concat(place, []string{r.Name, r.ContentType, r.SHA256, strconv.FormatInt(r.Length, 10)})
	if r.Source != "" {
		// The other item may be deleted before a request is repeated, so its properties are not part of the key.
		terms = slices.Concat(place, []string{"copy", r.Source})
	}
	if r.Origin != "" {
		terms = append(terms, r.Origin)
	}
	if o := r.Options; o != (ReadOptions{}) {
		terms = append(terms, "options", o.Charset, o.Header, o.Delimiter, o.Decimal)
	}
	sum := sha256.Sum256([]byte(strings.Join(terms, "\x00")))
	return blob.Key(ObjectPrefix, r.ID+"/"+uploadName+hex.EncodeToString(sum[:16]))
}

// FilePrefix returns the prefix of the keys of all objects of a file.
func FilePrefix(fileID string) string { return blob.Key(ObjectPrefix, fileID+"/") }

// ResultKey returns the key of an object that a run of a file's workflow writes.
func ResultKey(fileID string, run int64, name string) string {
	return FilePrefix(fileID) + "r" + strconv.FormatInt(run, 10) + "/" + name
}

// ParseKey returns the id of the file that an object belongs to, and the run that wrote the object, 0 for the upload.
// It returns ErrForeignKey for other keys.
func ParseKey(key string) (fileID string, run int64, err error) {
	name, ours := blob.CutKey(ObjectPrefix, key)
	fileID, rest, slashed := strings.Cut(name, "/")
	foreign := fmt.Errorf("%q: %w", key, ErrForeignKey)
	if !ours || !slashed || !ValidID(fileID) {
		return "", 0, foreign
	}
	if strings.HasPrefix(rest, uploadName) {
		return fileID, 0, nil
	}
	digits, result, slashed := strings.Cut(strings.TrimPrefix(rest, "r"), "/")
	run, err = strconv.ParseInt(digits, 10, 64)
	if err != nil || !slashed || result == "" || run < 1 || ResultKey(fileID, run, result) != key {
		return "", 0, foreign
	}
	return fileID, run, nil
}

// uploaded reports whether a client uploaded the object.
func uploaded(key string) bool {
	_, run, err := ParseKey(key)
	return err == nil && run == 0
}
