package photojob

import (
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"path"
	"strconv"
	"strings"

	"github.com/assay-project/assay/pkg/blob"
)

// The objects of a job. Objects in the temp bucket are needed while the job is in progress or may be retried;
// the final bucket contains the edited photo.
//
//	temp   uploads/<shard>/<jobId>/<size>-<fingerprint>-<created>   as uploaded
//	temp   work/<shard>/<jobId>/answer-<n>                the provider's response to call n
//	final  final/<shard>/<jobId>/<n>.<ext>                the result of call n
//	final  final/<shard>/<jobId>/<n>-<k>.<ext>            further result k of call n, from 1
//	final  final/<shard>/<jobId>/<n>.<ext>.preview        a small picture of the result
//	final  final/<shard>/<jobId>/<n>.<ext>.original       a small picture of the uploaded photo
//
// The shard is that of blob.Key. The uploaded photo itself is stored only for hours.
const (
	UploadPrefix = "uploads/"
	WorkPrefix   = "work/"
	FinalPrefix  = "final/"
)

// ErrForeignKey means that an object key does not belong to a photo job.
var ErrForeignKey = errors.New("not an object of a photo job")

// UploadKey returns the key under which the bytes of a job are uploaded, without the time of its creation. It contains a
// hash of the terms, so that two reservations of one job id with different terms have different keys. That of a copy
// depends on what the client requested, not on the properties of the other item, which may be deleted before the request is
// repeated.
func (t Terms) UploadKey(jobID string) string {
	if t.Source != "" {
		t = Terms{Source: t.Source, Prompt: t.Prompt, Options: t.Options}
	}
	terms, _ := json.Marshal(t) // cannot fail: strings and numbers can always be encoded
	sum := sha256.Sum256(terms)
	return blob.Key(UploadPrefix, jobID+"/"+strconv.FormatInt(t.Size, 10)+"-"+hex.EncodeToString(sum[:16]))
}

// ReservedAs reports whether a job was created with these terms. Jobs of earlier versions have keys without a time.
func (t Terms) ReservedAs(j Job) bool {
	created, same := strings.CutPrefix(j.S3TempKey, t.UploadKey(j.JobID))
	return same && (created == "" || created == createdSuffix(j.CreatedAt))
}

// createdSuffix returns the end of the key of an upload. With it, a job with the id of one that was deleted has another key,
// which a worker of the deleted job does not delete.
func createdSuffix(createdAt int64) string { return "-" + strconv.FormatInt(createdAt, 36) }

// AnswerKey returns the key of the provider's response to call n.
func AnswerKey(jobID string, n int) string {
	return blob.Key(WorkPrefix, fmt.Sprintf("%s/answer-%d", jobID, n))
}

// FinalKey returns the key of the photo that resulted from call n. The format is jpeg, png, webp, gif or avif.
func FinalKey(jobID string, n int, format string) string {
	return blob.Key(FinalPrefix, fmt.Sprintf("%s/%d.%s", jobID, n, extension(format)))
}

// PreviewKey returns the key of the preview of the edited photo at finalKey.
func PreviewKey(finalKey string) string { return finalKey + ".preview" }

// OriginalPreviewKey returns the key of the preview of the uploaded photo from which the photo at finalKey
// was made.
func OriginalPreviewKey(finalKey string) string { return finalKey + ".original" }

// OutputKey returns the key of the further result k, from 1, of the edit whose photo is at finalKey.
func OutputKey(finalKey string, k int, format string) string {
	return fmt.Sprintf("%s%d.%s", outputPrefix(finalKey), k, extension(format))
}

func outputPrefix(finalKey string) string {
	return strings.TrimSuffix(finalKey, path.Ext(finalKey)) + "-"
}

func extension(format string) string { return strings.Replace(format, "jpeg", "jpg", 1) }

// ResultKeys returns the keys of all objects that belong to the edited photo at finalKey. The result, which may be nil, has
// those of its outputs.
func ResultKeys(finalKey string, r *EditResult) []string {
	keys := []string{finalKey, PreviewKey(finalKey), OriginalPreviewKey(finalKey)}
	if r != nil {
		for _, o := range r.Outputs {
			keys = append(keys, o.S3Key)
		}
	}
	return keys
}

// JobOf returns the id of the job to which an object of either bucket belongs, or ErrForeignKey.
func JobOf(key string) (jobID string, err error) {
	for _, prefix := range []string{UploadPrefix, WorkPrefix, FinalPrefix} {
		name, ours := blob.CutKey(prefix, key)
		id, rest, found := strings.Cut(name, "/")
		if ours && found && rest != "" && ValidID(id) {
			return id, nil
		}
	}
	return "", fmt.Errorf("%q: %w", key, ErrForeignKey)
}
