package textfile

import "github.com/assay-project/assay/pkg/textfile"

// Config contains the settings of text files.
type Config struct{ Table textfile.Config }
