"""Computes with scikit-learn what the tests of the packages beside this folder expect.

golden FILE   writes figures of data made by the formula of package learntest
sets FOLDER   writes data sets that scikit-learn ships to FOLDER/NAME.csv, the value to predict last
molecules FOLDER SDF COLUMN
              writes fingerprints and descriptors that RDKit computes, with a column of the SDF file to predict, to
              FOLDER/bits.csv and FOLDER/descriptors.csv, and with whether it is above its median to FOLDER/high.csv
compare FOLDER NAME
              reads FOLDER/NAME.csv and the fold of each row from FOLDER/NAME.folds, and writes the coefficients of
              models of all rows and the scores of cross-validation to FOLDER/NAME.json
"""
import json
import os
import sys

import numpy
import sklearn
from sklearn import datasets, metrics
from sklearn.calibration import calibration_curve
from sklearn.linear_model import LogisticRegression, Ridge
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler

ALPHAS = [0.1, 1, 10, 100, 1000]
CS = [0.01, 0.1, 1, 10]


def synthetic(task, rows, columns, seed):
    def random():
        nonlocal seed
        seed = (seed * 6364136223846793005 + 1442695040888963407) % 2**64
        return (seed >> 11) / 2**53

    units = [1, 0.01, 250, 8]
    x, y = [], []
    for _ in range(rows):
        factor, total, row = random(), 0.0, []
        for j in range(columns):
            v = factor + 2 * random() - 1
            total += v * (j % 5 - 2)
            row.append(v * units[j % 4] + j)
        if columns > 2:
            row[1], row[2] = 0.1, 2 * row[0]
        value = total + 4 * random() - 2
        y.append(float(value > 0.5) if task == "classification" else 3 * value + 100)
        random()  # the group
        x.append(row)
    return numpy.array(x), numpy.array(y)


def models(task):
    if task == "regression":
        return [("ridge", a, Ridge(alpha=a, solver="cholesky")) for a in ALPHAS]
    return [("logistic", c, LogisticRegression(C=c, tol=1e-10, solver="newton-cholesky")) for c in CS]


def coefficients(task, x, y):
    found = []
    for name, parameter, model in models(task):
        fitted = make_pipeline(StandardScaler(), model).fit(x, y)
        found.append({
            "name": name, "parameter": parameter,
            "center": float(numpy.ravel(model.intercept_)[0]), "standardized": numpy.ravel(model.coef_).tolist(),
            "predicted": predict(task, fitted, x[:5]).tolist(),
        })
    return found


def predict(task, model, x):
    return model.predict(x) if task == "regression" else model.predict_proba(x)[:, 1]


def scores(task, x, y, folds):
    found = []
    for name, parameter, model in models(task):
        values = []
        for fold in range(max(folds) + 1):
            held = folds == fold
            fitted = make_pipeline(StandardScaler(), model).fit(x[~held], y[~held])
            p = predict(task, fitted, x[held])
            if task == "regression":
                values.append(metrics.mean_squared_error(y[held], p) ** 0.5)
            else:
                values.append(metrics.roc_auc_score(y[held], p))
        found.append({"name": name, "parameter": parameter, "folds": values})
    return found


def measures(rows):
    """Scores of predictions with ties."""
    _, y = synthetic("regression", rows, 4, 5)
    _, c = synthetic("classification", rows, 4, 6)
    p = numpy.round((y - y.min()) / (y.max() - y.min()), 1)
    p = 0.2 * p + 0.6 * numpy.where(numpy.arange(rows) % 3 == 0, 1 - c, c) + 0.1
    p = numpy.round(p, 2)
    false, true, thresholds = metrics.roc_curve(c, p, drop_intermediate=False)
    observed, predicted = calibration_curve(c, p, n_bins=5)
    return {
        "y": y.tolist(), "class": c.tolist(), "p": p.tolist(),
        "rmse": metrics.mean_squared_error(y, 100 * p) ** 0.5, "mae": metrics.mean_absolute_error(y, 100 * p),
        "r2": metrics.r2_score(y, 100 * p), "auc": metrics.roc_auc_score(c, p), "log_loss": metrics.log_loss(c, p),
        "brier": metrics.brier_score_loss(c, p), "accuracy": metrics.accuracy_score(c, p >= 0.5),
        "balanced": metrics.balanced_accuracy_score(c, p >= 0.5),
        "confusion": metrics.confusion_matrix(c, p >= 0.5).ravel().tolist(),
        "roc": [[float(f), float(t)] for f, t in zip(false, true)], "thresholds": thresholds.tolist(),
        "observed": observed.tolist(), "predicted": predicted.tolist(),
    }


def golden(file):
    found = {
        "versions": f"scikit-learn {sklearn.__version__}, numpy {numpy.__version__}",
        "measures": measures(40), "coefficients": [], "scores": [],
    }
    for task in ["regression", "classification"]:
        for rows, columns in [(60, 8), (20, 30)]:
            x, y = synthetic(task, rows, columns, rows)
            found["coefficients"].append({"task": task, "rows": rows, "columns": columns, "models": coefficients(task, x, y)})
        x, y = synthetic(task, 200, 12, 7)
        found["scores"] += scores(task, x, y, numpy.arange(200) % 5)
    with open(file, "w") as out:
        out.write(json.dumps(found, indent=None, separators=(",", ":")).replace('{"task"', '\n{"task"').replace('{"name"', '\n{"name"') + "\n")


def sets(folder):
    wine = datasets.load_wine()
    found = {
        "diabetes": datasets.load_diabetes(return_X_y=True),
        "breast_cancer": datasets.load_breast_cancer(return_X_y=True),
        "wine": (wine.data, wine.target == 1),
    }
    for name, (x, y) in found.items():
        numpy.savetxt(os.path.join(folder, name + ".csv"), numpy.column_stack([x, y]), delimiter=",", fmt="%.17g")


def molecules(folder, sdf, column):
    numpy.float = float  # RDKit 2022.09 needs it, numpy 1.24 removed it
    from rdkit import Chem
    from rdkit.Chem import AllChem, Descriptors

    bits, numbers, y = [], [], []
    for molecule in Chem.SDMolSupplier(sdf):
        values = [f(molecule) for _, f in Descriptors.descList]
        numbers.append([v if abs(v) < 1e100 else 0 for v in values])
        bits.append(list(AllChem.GetMorganFingerprintAsBitVect(molecule, 2, nBits=2048)))
        y.append(float(molecule.GetProp(column)))
    high = (numpy.array(y) > numpy.median(y)).astype(int)
    for name, x, y in [("bits", bits, y), ("descriptors", numbers, y), ("high", numbers, high)]:
        numpy.savetxt(os.path.join(folder, name + ".csv"), numpy.column_stack([x, y]), delimiter=",", fmt="%.17g")


def compare(folder, name):
    table = numpy.loadtxt(os.path.join(folder, name + ".csv"), delimiter=",")
    folds = numpy.loadtxt(os.path.join(folder, name + ".folds"), dtype=int)
    x, y = table[:, :-1], table[:, -1]
    task = "classification" if set(y) == {0, 1} else "regression"
    with open(os.path.join(folder, name + ".json"), "w") as out:
        json.dump({"task": task, "models": coefficients(task, x, y), "scores": scores(task, x, y, folds)}, out)


if __name__ == "__main__":
    {"golden": golden, "sets": sets, "molecules": molecules, "compare": compare}[sys.argv[1]](*sys.argv[2:])
