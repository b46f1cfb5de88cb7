// Questions to the program that serves this page. Addresses are relative, so they contain the token of the page's address.

/** An answer that is an error: a code, a message, advice, and the place in a predicate. */
export class Refusal extends Error {
  constructor(status, report) {
    super(report.message);
    this.status = status;
    this.code = report.code;
    this.recovery = report.recovery ?? "";
    this.excerpt = report.excerpt;
    this.corrected = report.corrected;
  }
}

/** The answer to a question. A parameter that is a list is sent once for each element, and an empty one is left out. */
export async function ask(question, parameters = {}, options = {}) {
  const address = new URL(`api/${question}`, document.baseURI);
  for (const [name, value] of Object.entries(parameters)) {
    for (const element of Array.isArray(value) ? value : [value]) {
      if (element !== undefined && element !== "") address.searchParams.append(name, element);
    }
  }
  let response;
  try {
    response = await fetch(address, { cache: "no-store", ...options });
  } catch (error) {
    if (error.name === "AbortError") throw error;
    throw new Refusal(0, {
      code: "unreachable",
      message: "The program that serves this page does not answer.",
      recovery: "Start it again, and open the new address.",
    });
  }
  const answer = await response.json();
  if (!response.ok) throw new Refusal(response.status, answer.error);
  return answer;
}

/** Retries or discards a change that a server refused. */
export function decide(decision, sequence) {
  return ask(`outbox/${decision}`, { sequence }, { method: "POST" });
}
