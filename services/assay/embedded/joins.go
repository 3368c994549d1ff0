package embedded

import (
	"io/fs"
	"os"
	"path"
	"path/filepath"
	"strings"

	"github.com/versity/versitygw/backend/meta"
	"github.com/versity/versitygw/backend/posix"
)

// joiningSuffix is the suffix of the directory of a multipart upload while the gateway joins its parts. The name
// starts with the upload id, a UUID.
const joiningSuffix = ".inprogress"

// reopenUploads undoes the renaming of uploads whose parts were being joined when the process was killed.
// Otherwise the gateway would neither list nor complete them, and their parts would remain. All parts still
// exist, because joining copies them.
func reopenUploads(objects string, attributes meta.MetadataStorer) error {
	joining, err := fs.Glob(os.DirFS(objects), path.Join("*", posix.MetaTmpMultipartDir, "*", "*"+joiningSuffix))
	if err != nil {
		return err
	}
	for _, name := range joining {
		bucket, before, _ := strings.Cut(name, "/")
		id, _, _ := strings.Cut(path.Base(name), ".")
		open := path.Join(path.Dir(before), id)
		if err := attributes.RenameObject(bucket, before, open); err != nil {
			return err
		}
		if err := os.Rename(filepath.Join(objects, name), filepath.Join(objects, bucket, open)); err != nil {
			return err
		}
	}
	return nil
}
