package backup

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"net/http"
	"net/url"
	"strings"

	"github.com/aws/aws-sdk-go-v2/aws"
	awshttp "github.com/aws/aws-sdk-go-v2/aws/transport/http"
	"github.com/aws/aws-sdk-go-v2/config"
	"github.com/aws/aws-sdk-go-v2/service/s3"
)

// DefaultProfile is the profile of the AWS configuration files with the credentials of a repository in S3. The variables
// of AWS in the environment of `assay serve` are those of its own engines.
const DefaultProfile = "assay-backup"

// bucket stores the files of a repository in a bucket.
type bucket struct {
	client       *s3.Client
	name, prefix string
}

// openS3 opens s3://BUCKET/PREFIX?profile=…&endpoint=…&region=…. The profile is DefaultProfile by default; the endpoint, for
// other servers than AWS, and the region are by default those of the profile.
func openS3(ctx context.Context, at *url.URL) (store, error) {
	query := at.Query()
	profile := DefaultProfile
	for name := range query {
		switch name {
		case "profile":
			profile = query.Get(name)
		case "endpoint", "region":
		default:
			return nil, fmt.Errorf("%w: unknown parameter %q; known are profile, endpoint and region", ErrLocation, name)
		}
	}
	options := []func(*config.LoadOptions) error{config.WithSharedConfigProfile(profile)}
	if region := query.Get("region"); region != "" {
		options = append(options, config.WithRegion(region))
	}
	cfg, err := config.LoadDefaultConfig(ctx, options...)
	if err != nil {
		return nil, fmt.Errorf("%w: profile %q of the AWS configuration: %w", ErrLocation, profile, err)
	}
	client := s3.NewFromConfig(cfg, func(o *s3.Options) {
		if endpoint := query.Get("endpoint"); endpoint != "" {
			o.BaseEndpoint = aws.String(endpoint)
			o.UsePathStyle = true
		}
	})
	prefix := strings.Trim(at.Path, "/")
	if prefix != "" {
		prefix += "/"
	}
	return bucket{client, at.Host, prefix}, nil
}

func (b bucket) put(ctx context.Context, name string, content []byte) error {
	_, err := b.client.PutObject(ctx, b.input(name, content))
	return err
}

func (b bucket) input(name string, content []byte) *s3.PutObjectInput {
	return &s3.PutObjectInput{Bucket: &b.name, Key: aws.String(b.prefix + name), Body: bytes.NewReader(content)}
}

func (b bucket) create(ctx context.Context, name string, content []byte) error {
	in := b.input(name, content)
	in.IfNoneMatch = aws.String("*")
	_, err := b.client.PutObject(ctx, in)
	if status := statusOf(err); status == http.StatusPreconditionFailed || status == http.StatusConflict {
		return errExists
	}
	return err
}

// statusOf returns the status of a response that is an error, or 0.
func statusOf(err error) int {
	if response, ok := errors.AsType[*awshttp.ResponseError](err); ok {
		return response.HTTPStatusCode()
	}
	return 0
}

func (b bucket) get(ctx context.Context, name string) ([]byte, error) {
	out, err := b.client.GetObject(ctx, &s3.GetObjectInput{Bucket: &b.name, Key: aws.String(b.prefix + name)})
	if statusOf(err) == http.StatusNotFound {
		return nil, fmt.Errorf("%w: s3://%s/%s%s", errMissing, b.name, b.prefix, name)
	}
	if err != nil {
		return nil, err
	}
	content, err := io.ReadAll(out.Body)
	return content, errors.Join(err, out.Body.Close())
}

func (b bucket) list(ctx context.Context, below string, each func(name string) error) error {
	pages := s3.NewListObjectsV2Paginator(b.client, &s3.ListObjectsV2Input{Bucket: &b.name, Prefix: aws.String(b.prefix + below + "/")})
	for pages.HasMorePages() {
		page, err := pages.NextPage(ctx)
		if err != nil {
			return err
		}
		for _, object := range page.Contents {
			if err := each(strings.TrimPrefix(aws.ToString(object.Key), b.prefix)); err != nil {
				return err
			}
		}
	}
	return nil
}

func (b bucket) remove(ctx context.Context, name string) error {
	_, err := b.client.DeleteObject(ctx, &s3.DeleteObjectInput{Bucket: &b.name, Key: aws.String(b.prefix + name)})
	return err
}
