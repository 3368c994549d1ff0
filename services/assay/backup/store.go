package backup

import (
	"context"
	"errors"
	"fmt"
	"net/url"
	"path/filepath"
	"strings"
)

// store stores the files of a repository. Names have slashes.
type store interface {
	// put durably stores a file. It replaces an existing one.
	put(ctx context.Context, name string, content []byte) error
	// create is put, but returns errExists if the file exists.
	create(ctx context.Context, name string, content []byte) error
	// get returns the content of a file, or errMissing.
	get(ctx context.Context, name string) ([]byte, error)
	// list calls f with the name of each file below a folder, in any order.
	list(ctx context.Context, folder string, f func(name string) error) error
	// remove removes a file. A missing file is not an error.
	remove(ctx context.Context, name string) error
}

var (
	errExists  = errors.New("the file exists")
	errMissing = errors.New("the file does not exist")
)

// ErrLocation means that the location of a repository is invalid.
var ErrLocation = errors.New("invalid location of a backup repository")

// openStore opens the store at a location: the path of a folder, or s3://BUCKET/PREFIX with the parameters of openS3.
func openStore(ctx context.Context, location string) (store, error) {
	if !strings.Contains(location, "://") {
		if !filepath.IsAbs(location) {
			return nil, fmt.Errorf("%w %q: must be an absolute path, or s3://BUCKET/PREFIX", ErrLocation, location)
		}
		return folder{location}, nil
	}
	at, err := url.Parse(location)
	if err != nil || at.Scheme != "s3" || at.Host == "" {
		return nil, fmt.Errorf("%w %q: must be an absolute path, or s3://BUCKET/PREFIX", ErrLocation, location)
	}
	return openS3(ctx, at)
}
