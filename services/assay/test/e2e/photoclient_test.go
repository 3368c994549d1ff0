package e2e

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

	"github.com/assay-project/assay/services/analyzer/pixels/scene"
	"github.com/assay-project/assay/services/assay/client"
)

// Where photo jobs are by default.
const (
	photoTable = "photoeditor-dev-jobs"
	photoTemp  = "photoeditor-dev-temp"
	photoFinal = "photoeditor-dev-final"
)

// drawPhoto returns a JPEG of 160 × 120 pixels.
func drawPhoto(t *testing.T, seed uint32) []byte {
	t.Helper()
	var out bytes.Buffer
	if err := jpeg.Encode(&out, scene.New(160, 120, seed), nil); err != nil {
		t.Fatal(err)
	}
	return out.Bytes()
}

// photoSource returns the upload of a photo, as a JPEG whatever the bytes are.
func photoSource(name, prompt string, photo []byte) client.PhotoSource {
	return client.PhotoSource{
		PhotoReservation: client.PhotoReservation{FileName: name, Size: int64(len(photo)), ContentType: "image/jpeg", Prompt: prompt},
		Content:          bytes.NewReader(photo),
	}
}

// sendPhoto uploads a photo by a presigned request.
func sendPhoto(t *testing.T, c *client.Client, prompt string, photo []byte) client.Photo {
	t.Helper()
	job, err := c.UploadPhoto(within(t), photoSource("a photo.jpg", prompt, photo), client.PhotoOptions{})
	if err != nil {
		t.Fatalf("upload: %v", err)
	}
	return job
}

// endOf waits until the job has ended, in the given state.
func endOf(t *testing.T, c *client.Client, jobID, status string) client.Photo {
	t.Helper()
	job, err := c.WaitPhoto(within(t), jobID)
	if err != nil {
		t.Fatalf("wait for %s: %v", jobID, err)
	}
	if job.Status != status {
		t.Fatalf("the job is %s, want %s", show(job), status)
	}
	return job
}

// download returns a photo of a job.
func download(t *testing.T, c *client.Client, jobID, variant string) []byte {
	t.Helper()
	body, err := c.DownloadPhoto(within(t), jobID, variant)
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

// photoItem returns a job as the table has it, nil when there is none.
func (s system) photoItem(ctx context.Context, t *testing.T, jobID string) item {
	t.Helper()
	out, err := s.tables().GetItem(ctx, &dynamodb.GetItemInput{
		TableName: aws.String(photoTable), ConsistentRead: aws.Bool(true), Key: item{"jobId": &types.AttributeValueMemberS{Value: jobID}},
	})
	if err != nil {
		t.Fatal(err)
	}
	return out.Item
}

// changePhoto changes a job by hand.
func (s system) changePhoto(t *testing.T, jobID, update string, names map[string]string, values item) {
	t.Helper()
	_, err := s.tables().UpdateItem(within(t), &dynamodb.UpdateItemInput{
		TableName: aws.String(photoTable), Key: item{"jobId": &types.AttributeValueMemberS{Value: jobID}},
		UpdateExpression: &update, ExpressionAttributeNames: names, ExpressionAttributeValues: values,
	})
	if err != nil {
		t.Fatal(err)
	}
}

// setPhoto sets the state of a job by hand, as if that had been long ago.
func (s system) setPhoto(t *testing.T, jobID, status string, age time.Duration) {
	t.Helper()
	s.changePhoto(t, jobID, "SET #status = :status, updatedAt = :at", map[string]string{"#status": "status"}, item{
		":status": &types.AttributeValueMemberS{Value: status}, ":at": number(time.Now().Add(-age).UnixMilli()),
	})
}

// photoKeys returns the keys of the objects of a job, of both buckets, by bucket.
func (s system) photoKeys(t *testing.T, jobID string) map[string][]string {
	t.Helper()
	keys := map[string][]string{}
	for _, bucket := range []string{photoTemp, photoFinal} {
		for _, key := range (system{S3: s.S3, AccessKey: s.AccessKey, SecretKey: s.SecretKey, Region: s.Region, Bucket: bucket}).keys(t) {
			if strings.Contains(key, jobID) {
				keys[bucket] = append(keys[bucket], key)
			}
		}
	}
	return keys
}

// putObject stores an object by hand.
func (s system) putObject(t *testing.T, bucket, key string, content []byte) {
	t.Helper()
	if _, err := s.objects().PutObject(within(t), &s3.PutObjectInput{Bucket: &bucket, Key: &key, Body: bytes.NewReader(content)}); err != nil {
		t.Fatal(err)
	}
}

// removeObject removes an object by hand.
func (s system) removeObject(t *testing.T, bucket, key string) {
	t.Helper()
	if _, err := s.objects().DeleteObject(within(t), &s3.DeleteObjectInput{Bucket: &bucket, Key: &key}); err != nil {
		t.Fatal(err)
	}
}

// photoOutcomes returns the ids of all outcome events of a job, once no work on it waits any
// more.
func (s system) photoOutcomes(t *testing.T, jobID string) []string {
	t.Helper()
	return s.outcomesOf(t, s.jetStream(t), "ASSAY_WORK_PHOTOJOB", "assay-work.*.*.photojob.uploaded.*."+jobID, "assay.analysis.*.photojob."+jobID)
}

func number(n int64) types.AttributeValue {
	return &types.AttributeValueMemberN{Value: strconv.FormatInt(n, 10)}
}
