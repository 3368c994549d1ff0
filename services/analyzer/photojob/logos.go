package photojob

import (
	"context"
	"errors"
	"io"

	"github.com/assay-project/assay/pkg/blob"
	"github.com/assay-project/assay/pkg/lifecycle"
	"github.com/assay-project/assay/pkg/photojob"
)

// logos returns the results of the photos that the job's operations draw as watermarks, by the id of their job. A photo that
// does not exist, is not edited yet, or belongs to another owner is left out, and the edit reports it.
func (s steps) logos(ctx context.Context, job photojob.Job) (map[string][]byte, error) {
	found := map[string][]byte{}
	for _, o := range job.Options.Operations {
		if o.Logo == "" || found[o.Logo] != nil {
			continue
		}
		logo, err := s.Get(ctx, o.Logo)
		if errors.Is(err, lifecycle.ErrNotFound) || err == nil && (logo.UserID != job.UserID || logo.S3FinalKey == "") {
			continue
		}
		if err != nil {
			return nil, err
		}
		data, err := s.result(ctx, logo.S3FinalKey)
		if errors.Is(err, blob.ErrNotFound) {
			continue
		}
		if err != nil {
			return nil, err
		}
		found[o.Logo] = data
	}
	return found, nil
}

// result returns the photo at a key of the final bucket, or its start if it is larger than a photo may be.
func (s steps) result(ctx context.Context, key string) (data []byte, err error) {
	body, err := s.final.Open(ctx, key, "")
	if err != nil {
		return nil, err
	}
	defer func() { err = errors.Join(err, body.Close()) }()
	return io.ReadAll(io.LimitReader(body, photojob.MaxSize))
}
