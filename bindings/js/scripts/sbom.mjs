// Writes `sbom.cdx.json`, a software bill of materials in CycloneDX: what builds the package, as npm lists it, and the
// crates that the module is made of, as cargo's lock file lists them.

import { execFileSync } from "node:child_process";
import { readFileSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { fileURLToPath } from "node:url";

const here = dirname(dirname(fileURLToPath(import.meta.url)));
const text = execFileSync("npm", ["sbom", "--sbom-format", "cyclonedx", "--package-lock-only"], {
  cwd: here,
  encoding: "utf8",
  maxBuffer: 1 << 26,
});
const bill = JSON.parse(text);

const lock = readFileSync(join(here, "wasm/Cargo.lock"), "utf8");
const field = (entry, name) => new RegExp(`^${name} = "(.*)"$`, "m").exec(entry)?.[1];
for (const entry of lock.split("[[package]]").slice(1)) {
  const [name, version, checksum] = ["name", "version", "checksum"].map((key) => field(entry, key));
  const purl = `pkg:cargo/${name}@${version}`;
  const component = { "bom-ref": purl, type: "library", name, version, purl, scope: "required" };
  if (checksum) component.hashes = [{ alg: "SHA-256", content: checksum }];
  bill.components.push(component);
}
writeFileSync(join(here, "sbom.cdx.json"), `${JSON.stringify(bill, undefined, 2)}\n`);
const crates = bill.components.filter(({ purl }) => purl?.startsWith("pkg:cargo/")).length;
if (crates < 2) throw new Error("no crates in wasm/Cargo.lock");
console.log(`sbom.cdx.json: ${crates} crates, ${bill.components.length - crates} packages that build and test it`);
