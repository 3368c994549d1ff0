package photojob

import (
	"errors"
	"fmt"
	"net/http"
	"strings"

	"github.com/assay-project/assay/pkg/photojob"
	"github.com/assay-project/assay/pkg/web"
)

// problem converts errors that a client can resolve into HTTP problems.
func (a *Area) problem(err error) error {
	switch {
	case errors.Is(err, errGone):
		return web.NewProblem(http.StatusGone, "upload-removed", "The uploaded photo has been removed. Upload it again.")
	case errors.Is(err, errTooLarge):
		return web.NewProblem(http.StatusRequestEntityTooLarge, "file-too-large", fmt.Sprintf("A photo may have at most %d bytes.", photojob.MaxSize))
	case errors.Is(err, errMediaType):
		return web.NewProblem(http.StatusUnsupportedMediaType, "not-a-photo",
			"A photo is "+strings.Join(photojob.FileTypes(), ", ")+". Convert others, such as AVIF, before the upload.")
	case errors.Is(err, errNoProvider):
		return web.NewProblem(http.StatusConflict, "provider-disabled", "The provider is not enabled on this server. Choose another, such as stub.")
	}
	return a.Problem(err)
}
