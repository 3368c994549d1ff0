// Models: training, predicting, and what predictions say about their model.
import { api, data, type Schemas } from "../api/client.js";
import { announce } from "./nodes.js";
import { linkToken, type Node } from "./view.js";

export type Report = Schemas["Report"];

/** The steps of a training, in order. */
export const trainingSteps = ["optimize", "train", "report"];

/** The properties that a prediction adds to records, in the order in which they are shown. */
export const predictions = ["prediction", "predictionLow", "predictionHigh", "probability", "similarity", "insideDomain", "reason"];

export const readReport = (model: Node): Promise<Report> =>
  api.GET("/v1/library/models/{id}", { params: { path: { id: model.id }, query: linkToken() } }).then(data).then((m) => m.report);

export async function trainModel(body: Schemas["ModelRequest"]): Promise<Node> {
  const model = await api.POST("/v1/library/models", { body }).then(data);
  announce(model);
  return model;
}

export async function predict(model: Node, body: Schemas["PredictionRequest"]): Promise<Node> {
  const file = await api.POST("/v1/library/models/{id}/predictions", { params: { path: { id: model.id } }, body }).then(data);
  announce(file);
  return file;
}

/** The model of a file with predictions, as stated in its metadata. */
export interface Trained {
  modelId: string;
  modelName: string;
  modelVersion: number;
  column: string;
  fileId?: string;
  fileName?: string;
  fileVersion?: number;
}

export function trainedOf({ trained }: Record<string, unknown>): Trained | undefined {
  return typeof trained === "object" && trained !== null && "modelId" in trained ? trained as Trained : undefined;
}
