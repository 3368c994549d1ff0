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

// completingSuffix is the suffix of the directory of a multipart upload while the gateway completes it. The name
// starts with the upload id, a UUID.
const completingSuffix = ".inprogress"

// reopenUploads undoes the renaming of uploads that were being completed when the process was killed.
// Otherwise the gateway would neither list nor complete them, and their parts would remain. All parts still
// exist, because completing copies them.
func reopenUploads(objects string, attributes meta.MetadataStorer) error {
	completing, err := fs.Glob(os.DirFS(objects), path.Join("*", posix.MetaTmpMultipartDir, "*", "*"+completingSuffix))
	if err != nil {
		return err
	}
	for _, name := range completing {
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
