package system

import (
	"bytes"
	"context"
	"image/jpeg"
	"io"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/aws/aws-sdk-go-v2/aws"
	"github.com/aws/aws-sdk-go-v2/service/dynamodb"
	"github.com/aws/aws-sdk-go-v2/service/dynamodb/types"
	"github.com/aws/aws-sdk-go-v2/service/s3"

	"github.com/assay-project/assay/pkg/extract/pixels/scene"
	"github.com/assay-project/assay/services/assay/client"
)

// BatchEnd waits until a batch has ended, and returns the batch.
func BatchEnd(t *testing.T, c *client.Client, batchID string) client.PhotoBatch {
	t.Helper()
	for {
		batch, err := c.GetPhotoBatch(Within(t), batchID, Soon/4)
		if err != nil {
			t.Fatal(err)
		}
		if batch.Ended() {
			return batch
		}
	}
}

// The default table and buckets of photo jobs.
const (
	photoTable = "photoeditor-dev-jobs"
	PhotoTemp  = "photoeditor-dev-temp"
	PhotoFinal = "photoeditor-dev-final"
)

// DrawPhoto returns a JPEG of 160 × 120 pixels.
func DrawPhoto(t *testing.T, seed uint32) []byte {
	t.Helper()
	var out bytes.Buffer
	if err := jpeg.Encode(&out, scene.New(160, 120, seed), nil); err != nil {
		t.Fatal(err)
	}
	return out.Bytes()
}

// PhotoSource returns the upload of a photo, declared as a JPEG regardless of the bytes.
func PhotoSource(name, prompt string, photo []byte) client.PhotoSource {
	return client.PhotoSource{
		PhotoReservation: client.PhotoReservation{FileName: name, Size: int64(len(photo)), ContentType: "image/jpeg", Prompt: prompt},
		Content:          bytes.NewReader(photo),
	}
}

// SendPhoto uploads a photo with a presigned request, and returns its job.
func SendPhoto(t *testing.T, c *client.Client, prompt string, photo []byte) client.Photo {
	t.Helper()
	job, err := c.UploadPhoto(Within(t), PhotoSource("a photo.jpg", prompt, photo), client.PhotoOptions{})
	if err != nil {
		t.Fatalf("upload: %v", err)
	}
	return job
}

// AwaitPhoto waits until a job has ended, checks that it is in the given state, and returns the job.
func AwaitPhoto(t *testing.T, c *client.Client, jobID, status string) client.Photo {
	t.Helper()
	job, err := c.WaitPhoto(Within(t), jobID)
	if err != nil {
		t.Fatalf("wait for %s: %v", jobID, err)
	}
	if job.Status != status {
		t.Fatalf("the job is %s, want %s", JSON(job), status)
	}
	return job
}

// DownloadPhoto returns a variant of a job's photo, such as the original.
func DownloadPhoto(t *testing.T, c *client.Client, jobID, variant string) []byte {
	t.Helper()
	body, err := c.DownloadPhoto(Within(t), jobID, variant)
	if err != nil {
		t.Fatalf("download of %s: %v", jobID, err)
	}
	defer body.Close()
	content, err := io.ReadAll(body)
	if err != nil {
		t.Fatal(err)
	}
	return content
}

// PhotoItem returns the item of a job, or nil if it does not exist.
func (s System) PhotoItem(ctx context.Context, t *testing.T, jobID string) Item {
	t.Helper()
	out, err := s.Tables().GetItem(ctx, &dynamodb.GetItemInput{
		TableName: aws.String(photoTable), ConsistentRead: aws.Bool(true), Key: Item{"jobId": &types.AttributeValueMemberS{Value: jobID}},
	})
	if err != nil {
		t.Fatal(err)
	}
	return out.Item
}

// ChangePhoto changes the item of a job directly in the table.
func (s System) ChangePhoto(t *testing.T, jobID, update string, names map[string]string, values Item) {
	t.Helper()
	_, err := s.Tables().UpdateItem(Within(t), &dynamodb.UpdateItemInput{
		TableName: aws.String(photoTable), Key: Item{"jobId": &types.AttributeValueMemberS{Value: jobID}},
		UpdateExpression: &update, ExpressionAttributeNames: names, ExpressionAttributeValues: values,
	})
	if err != nil {
		t.Fatal(err)
	}
}

// SetPhoto sets the state of a job directly in the table, as if the job had entered that state the given time ago.
func (s System) SetPhoto(t *testing.T, jobID, status string, age time.Duration) {
	t.Helper()
	s.ChangePhoto(t, jobID, "SET #status = :status, updatedAt = :at", map[string]string{"#status": "status"}, Item{
		":status": &types.AttributeValueMemberS{Value: status}, ":at": number(time.Now().Add(-age).UnixMilli()),
	})
}

// PhotoKeys returns the keys of the objects of a job by bucket.
func (s System) PhotoKeys(t *testing.T, jobID string) map[string][]string {
	t.Helper()
	keys := map[string][]string{}
	for _, bucket := range []string{PhotoTemp, PhotoFinal} {
		for _, key := range (System{S3: s.S3, AccessKey: s.AccessKey, SecretKey: s.SecretKey, Region: s.Region, Bucket: bucket}).Keys(t) {
			if strings.Contains(key, jobID) {
				keys[bucket] = append(keys[bucket], key)
			}
		}
	}
	return keys
}

// PutObject stores an object directly in a bucket.
func (s System) PutObject(t *testing.T, bucket, key string, content []byte) {
	t.Helper()
	if _, err := s.Objects().PutObject(Within(t), &s3.PutObjectInput{Bucket: &bucket, Key: &key, Body: bytes.NewReader(content)}); err != nil {
		t.Fatal(err)
	}
}

// RemoveObject removes an object directly from a bucket.
func (s System) RemoveObject(t *testing.T, bucket, key string) {
	t.Helper()
	if _, err := s.Objects().DeleteObject(Within(t), &s3.DeleteObjectInput{Bucket: &bucket, Key: &key}); err != nil {
		t.Fatal(err)
	}
}

// PhotoOutcomes returns the ids of all outcome events of a job, once no work on the job is queued.
func (s System) PhotoOutcomes(t *testing.T, jobID string) []string {
	t.Helper()
	return s.outcomesOf(t, s.JetStream(t), "ASSAY_WORK_PHOTOJOB", "assay-work.*.*.photojob.uploaded.*."+jobID, "assay.analysis.*.photojob."+jobID)
}

func number(n int64) types.AttributeValue {
	return &types.AttributeValueMemberN{Value: strconv.FormatInt(n, 10)}
}

// HeadObject sends a HEAD request for an object, and returns its error.
func (s System) HeadObject(t *testing.T, bucket, key string) error {
	t.Helper()
	s.Bucket = bucket
	return s.HeadFile(Within(t), key)
}
