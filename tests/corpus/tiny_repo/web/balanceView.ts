export interface BalanceRow {
  account: string;
  cents: number;
}

/** Formats cents as a decimal amount with two digits: 1250 -> "12.50". */
export function formatCents(cents: number): string {
  const sign = cents < 0 ? "-" : "";
  const whole = Math.floor(Math.abs(cents) / 100);
  const rest = String(Math.abs(cents) % 100).padStart(2, "0");
  return `${sign}${whole}.${rest}`;
}

export class BalanceView {
  private rows: BalanceRow[] = [];

  update(rows: BalanceRow[]): void {
    this.rows = [...rows].sort((a, b) => a.account.localeCompare(b.account));
  }

  renderHtml(): string {
    return this.rows.map((row) => `<tr><td>${row.account}</td><td>${formatCents(row.cents)}</td></tr>`).join("");
  }
}
